"""What the parameters are drawn from: people, places, words. Everything here is made up."""

from __future__ import annotations

import random
from typing import Any

FIRST = ("Ada", "Bruno", "Chidi", "Dana", "Emil", "Fatima", "Goran", "Hana", "Ines", "Jonas", "Kira", "Luis", "Mina",
         "Noor", "Otto", "Pia", "Ravi", "Selma", "Tomas", "Vera")  # fmt: skip
LAST = ("Abel", "Baron", "Costa", "Drake", "Ekman", "Fabre", "Gupta", "Holm", "Ivers", "Jansen", "Klein", "Lindt",
        "Moreau", "Novak", "Okafor", "Petrov", "Quinn", "Rossi", "Sato", "Weber")  # fmt: skip
TEXTS = (
    "Running ten minutes late", "The parcel has arrived", "Dinner is at seven", "Please bring the charger",
    "The meeting moved to room four", "Happy birthday to you", "The keys are under the mat", "See you at the station",
    "Call me when you land", "The report is ready", "Do not forget the milk", "Tickets are booked",
    "The dog needs a walk", "Window seat please", "Lunch tomorrow at noon", "The code is on the desk",
)  # fmt: skip
TOPICS = ("garden", "budget", "travel", "recipe", "meeting", "reading", "packing", "training", "birthday", "repair",
          "moving", "music", "camera", "winter", "kitchen", "bicycle")  # fmt: skip
ITEMS = ("bread", "apples", "rice", "coffee", "candles", "batteries", "paper", "soap", "cheese", "tea", "nails",
         "string", "honey", "lemons", "pasta", "flour")  # fmt: skip
EVENTS = ("Dentist", "Team lunch", "Yoga class", "Project review", "Book club", "Piano lesson", "Car service",
          "Planning call", "Swimming", "Budget talk", "Choir", "Garden visit", "Eye test", "Film night")  # fmt: skip
PLACES = ("Room 12", "Main Library", "Cafe Linden", "North Gate", "Hall B", "Harbour Office", "Studio 5", "Old Mill")
SPENT = ("Groceries", "Bus ticket", "Theatre", "Shoes", "Notebook", "Rent share", "Pharmacy", "Concert", "Umbrella",
         "Course fee", "Coffee beans", "Taxi ride", "Museum", "Gift card")  # fmt: skip
CATEGORIES = {"Others": 1, "Income": 2, "Food": 3, "Housing": 4, "Social": 5, "Entertainment": 6}
TODOS = ("Water the plants", "Pay the invoice", "Call the plumber", "Renew passport", "Clean the oven", "Book flights",
         "Return library books", "Fix the lamp", "Order firewood", "Write to Aunt May", "Back up photos",
         "Sort receipts", "Wash the car", "Plan the picnic")  # fmt: skip
DISHES = ("Lentil Soup", "Apple Tart", "Fried Rice", "Bean Salad", "Onion Bread", "Carrot Cake", "Fish Stew",
          "Mushroom Pie", "Corn Chowder", "Plum Jam", "Potato Gratin", "Green Curry")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def number(rng: random.Random) -> str:
    """A telephone number of ten digits."""
    return f"555{rng.randint(1_000_000, 9_999_999)}"


def people(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """So many people with different first names, last names and numbers."""
    firsts, lasts = rng.sample(FIRST, count), rng.sample(LAST, count)
    digits = rng.sample(range(1_000_000, 9_999_999), count)
    return [
        {"name": f"{first} {last}", "number": f"555{n}"} for first, last, n in zip(firsts, lasts, digits, strict=True)
    ]


def note_name(rng: random.Random, topic: str, extension: str = "md") -> str:
    """A file name that tells a topic."""
    return f"{topic}_{rng.randint(10, 99)}.{extension}"


def notes(rng: random.Random, count: int) -> dict[str, str]:
    """So many notes: name -> text of one line."""
    return {note_name(rng, topic): rng.choice(TEXTS) for topic in rng.sample(TOPICS, count)}
