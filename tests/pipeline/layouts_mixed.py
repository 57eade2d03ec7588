"""More layouts: those of `layouts` among other things on the page, and those that look like them and are not."""

from tests.pipeline.layouts import COSTS, LANDLORD, NOTICE, TENANT, Layout


def uneven_columns_with_header_and_footer() -> Layout:
    page = Layout(("Lease 2031/7", "Page 4", TENANT, NOTICE, LANDLORD, "Draft of 3 May", "Not for circulation"))
    page.at(60, 40, "Lease 2031/7", 9)
    page.to(550, 40, "Page 4", 9)
    page.prose(60, 100, TENANT, 235)
    page.prose(60, 260, NOTICE, 235)
    page.prose(315, 106, LANDLORD, 235)
    page.at(60, 760, "Draft of 3 May", 9)
    page.to(550, 760, "Not for circulation", 9)
    return page


def letter() -> Layout:
    sender = ("Harbour Freight Lines Ltd", "12 Quay Street", "Port Ellis", "3 June 2021")
    reader = ("Ms Ada Winter", "Winter and Sons", "7 Mill Lane", "Upper Marsh")
    body = "Thank you for your letter of 28 May. We are glad to confirm the terms which we discussed on the telephone."
    page = Layout((*sender, *reader, "Dear Ms Winter,", body, TENANT, "Yours sincerely,", "Tom Hale"))
    for index, line in enumerate(sender):
        page.to(550, 80 + 13 * index, line)
    for index, line in enumerate(reader):
        page.at(60, 150 + 13 * index, line)
    page.at(60, 230, "Dear Ms Winter,")
    page.prose(60, 255, body, 490)
    page.prose(60, 295, TENANT, 490)
    page.at(330, 400, "Yours sincerely,")
    page.at(330, 440, "Tom Hale")
    return page


def newspaper() -> Layout:
    """A banner, two stories of two columns each under headlines of their own, and a third column beside both."""
    first, second = "New rules for leases agreed at last", "Who pays for the repairs, and when"
    stories = (first, TENANT, LANDLORD, second, NOTICE, COSTS)
    page = Layout(("The Harbour Gazette", *stories, "In short", LANDLORD, TENANT))
    page.at(180, 60, "The Harbour Gazette", 28)
    page.at(54, 100, "New rules for leases agreed at last", 18)
    page.prose(54, 125, TENANT, 155, 9)
    page.prose(222, 125, LANDLORD, 155, 9)
    page.at(54, 325, "Who pays for the repairs, and when", 18)
    page.prose(54, 350, NOTICE, 155, 9)
    page.prose(222, 350, COSTS, 155, 9)
    page.at(396, 100, "In short", 12)
    page.prose(396, 125, LANDLORD, 160, 9)
    page.prose(396, 310, TENANT, 160, 9)
    return page


def prose_beside_facts() -> Layout:
    """A wide gutter, and beside the text a table whose rows do not stand level with its lines."""
    facts = (
        "Tenant | Winter and Sons",
        "Storey | First",
        "Area | 395",
        "Rent | 7,400",
        "Term | 5 years",
        "Deposit | 22,200",
    )
    page = Layout(("Summary of the lease", TENANT, LANDLORD, *facts))
    page.at(60, 80, "Summary of the lease", 14)
    page.prose(60, 120, TENANT, 280)
    page.prose(60, 250, LANDLORD, 280)
    page.rows((410, 470), 125, facts, 15)
    return page


def form() -> Layout:
    rows = (
        "Advertiser: | Smith for Governor | Order: | 277181",
        "Agency: | Northern Media | Revision: | 3",
        "Product: | Spring campaign | Flight: | 1/27/20 to 2/17/20",
        "Contact: | Dana Lee | Spots: | 42",
        "Office: | Albany | Total: | $12,600.00",
    )
    page = Layout(("Order for Time", *rows))
    page.at(260, 80, "Order for Time", 14)
    page.rows((60, 140, 340, 420), 110, rows)
    return page


def table_of_two_years() -> Layout:
    """One table: the right half has figures alone, the labels are in the left."""
    rows = (
        "Net sales | 1,204 | 1,130 | 3,410 | 3,207",
        "Cost of sales | 702 | 688 | 2,013 | 1,954",
        "Gross profit | 502 | 442 | 1,397 | 1,253",
        "Other income | 12 | 9 | 30 | 28",
        "Net income | 310 | 264 | 871 | 770",
    )
    page = Layout(("Three months", "Nine months", "2020 2019", "2020 2019", *rows))
    page.at(240, 90, "Three months")
    page.at(430, 90, "Nine months")
    page.rows((-270, -330, -470, -530), 105, ("2020 | 2019 | 2020 | 2019",))
    page.rows((60, -270, -330, -470, -530), 120, rows)
    return page


def table_of_prose() -> Layout:
    """Two columns of running text that are the cells of rows."""
    rows = (
        (
            "What does the tenant have to pay when the lease begins, and on which day is the payment due?",
            "A deposit of three months of rent, which is due on the day on which the keys are handed over to it.",
        ),
        (
            "May the tenant let a part of the premises to somebody else while the lease is still running?",
            "Only with the written consent of the landlord, which is given or refused within twenty days of asking.",
        ),
        (
            "Who bears the cost of the repairs that become needed because of ordinary wear of the building?",
            "The landlord does, unless the need could have been avoided by the tenant had it been told of it in time.",
        ),
        (
            "How is the lease brought to an end before its time where both of the parties want it to be?",
            "By an agreement in writing signed by both, which says on which day the premises are to be handed back.",
        ),
    )
    page = Layout(tuple(text for row in rows for text in row))
    for index, (left, right) in enumerate(rows):
        page.prose(60, 100 + 60 * index, left, 235)
        page.prose(315, 100 + 60 * index, right, 235)
    return page


def contents() -> Layout:
    rows = (
        "1. | Definitions and interpretation of this lease | 13",
        "2. | Rent, deposit and the days of payment | 15",
        "3. | Repairs and alterations of the premises | 19",
        "4. | Notices, consents and their form | 22",
        "5. | Costs, taxes and duties of both parties | 24",
        "6. | Ending the lease before its time | 27",
        "7. | Handing back the premises | 30",
    )
    page = Layout(("Table of Contents", *rows))
    page.at(250, 80, "Table of Contents", 14)
    page.rows((60, 90, -550), 110, rows)
    return page
