"""Rating by people: blind sheets of what systems wrote, a page to rate them on, and the tables the papers have."""
