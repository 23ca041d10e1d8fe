"""Subtitles written for the tests, each with what its format has besides cues."""

from __future__ import annotations

SUBRIP = """\
1
00:00:01,000 --> 00:00:03,000
I was just wondering whether you might
possibly want to come over to our place

2
00:00:03,100 --> 00:00:06,000 X1:10 X2:20 Y1:30 Y2:40
<i>for dinner</i> on {\\an8}Friday night.

3
00:00:07,000 --> 00:00:09,500
- <i>Well, I really don't know.</i>
- JOHN: [sighs] Oh, come on, you always say that.

4
00:00:10,000 --> 00:00:10,500
♪ la la la la la la la ♪

17
00:00:11,000 --> 00:00:14,000
42

18
00:00:15,000 --> 00:00:19,000
This perfectly fine sentence only needs a new line break.
"""

WEBVTT = """\
WEBVTT - a title --- of the file
Kind: captions

STYLE
::cue(i) { color: lime; }

NOTE the next cue is too fast

intro
00:01.000 --> 00:03.000 align:start position:10%
<v Mary>I was <c.loud>just wondering</c> whether you &amp; Tom
might <00:02.000>possibly want to come to our place

NOTE
two lines
of a note

00:00:03.100 --> 01:00:06.000
for dinner on Friday night.
"""

SUBSTATION = """\
[Script Info]
; a comment
Title: Test
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Arial,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,This is only a comment, and far too long for its time.
Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\\i1}I was just wondering{\\i0} whether\\Nyou might possibly come
Dialogue: 0,0:00:03.10,0:00:06.00,Default,,0,0,0,,for dinner\\hon Friday night.
Dialogue: 1,0:00:03.10,0:00:03.20,Sign,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100 0 100{\\p0}
Dialogue: 0,0:00:07.00,0:00:07.20,Default,,0,0,0,,{\\k20}sing {\\k30}along with me
"""

TTML = """\
<?xml version="1.0" encoding="utf-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ttp:frameRate="25" xml:lang="en">
  <head><styling><style xml:id="s1" color="white"/></styling></head>
  <body>
    <div begin="0s">
      <!-- é: the next is too fast -->
      <p xml:id="c1" begin="00:00:01.000" end="00:00:03.000" style="s1">I was <span style="s1">just wondering</span>
        whether you &amp; Tom might<br/>possibly want to come over to our place</p>
      <p begin="00:00:03:05" end="00:00:06:00">for dinner on Friday night.</p>
      <p begin='7s' dur='2.5s'>Well, that is that.</p>
      <p begin="10s" end="11s"><span begin="0s" end="0.5s">word</span> by word, far too many of them for a second</p>
    </div>
  </body>
</tt>
"""

_WORDS = [
    ("I", 1.0, 1.1), ("was", 1.1, 1.2), ("just", 1.2, 1.4), ("wondering", 1.4, 1.7), ("whether", 1.7, 1.9),
    ("you", 1.9, 2.0), ("might", 2.0, 2.1), ("possibly", 2.1, 2.4), ("want", 2.4, 2.6), ("to", 2.6, 2.65),
    ("come", 2.65, 2.8), ("over", 2.8, 3.0),
]  # fmt: skip


def whisper() -> dict[str, object]:
    """A transcript by whisperX, with the word times of its first segment."""
    words = [{"word": word, "start": start, "end": end, "score": 0.9} for word, start, end in _WORDS]
    text = " ".join(word for word, _, _ in _WORDS)
    return {
        "segments": [
            {"start": 1.0, "end": 3.0, "text": f" {text}", "words": words, "speaker": "SPEAKER_00"},
            {
                "start": 3.1,
                "end": 6.0,
                "text": " for dinner on Friday night.",
                "words": [],
                "speaker": "SPEAKER_00",
            },
        ],
        "word_segments": [dict(word) for word in words],
        "language": "en",
    }
