"""People are known by their numbers: no name gives anybody another's rights, labels or documents."""

from __future__ import annotations

import gzip
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from rankgauge.errors import InputError
from rankgauge.labelling.campaign import Campaign, tables
from rankgauge.labelling.campaign.database import Location, connect
from rankgauge.labelling.campaign.review import Review
from rankgauge.labelling.campaign.tables import upgrade
from rankgauge.labelling.labels import LabelOrigin
from rankgauge.room.database import migrate
from rankgauge.room.people import Permission, Role
from tests.web.house import House, csrf, fields, pool

GOLDEN = Path(__file__).parent.parent / "golden" / "campaign_0_1" / "auto.rg.gz"
"""A campaign's file of version 0.1, with labels."""


def answer(client: httpx.Client, number: int, grade: int) -> dict[str, str]:
    """Answers the document on the page; gives the fields of its form."""
    shown = fields(client.get(f"/campaigns/{number}/judge").text)
    assert client.post(f"/campaigns/{number}/judge", data={**shown, "grade": str(grade)}).status_code == 303
    return shown


def test_an_assessor_called_admin(house: House) -> None:
    """Somebody invited as "admin" is nobody's administrator, and an administrator's labels are not theirs to change."""
    number = house.campaign(assessors=2, method="passive")
    admin = house.admin()
    shown = answer(admin, number, 2)
    impostor = house.assessor(number, "admin")
    assert impostor.get(f"/campaigns/{number}").status_code == 403
    page = fields(impostor.get(f"/campaigns/{number}/judge").text)
    assert page["document"] == shown["document"], "two assessors judge each document"
    sent = {**page, "grade": "0", "again": "true"}
    assert impostor.post(f"/campaigns/{number}/judge", data=sent).status_code == 303
    labels = house.room.campaigns.get(number).campaign.labels(history=True)
    assert sorted(labels["grade"].to_list()) == [0.0, 2.0]
    assert labels["person"].n_unique() == 2
    assert labels["assessor"].to_list() == ["admin", "admin"]


def test_two_people_of_one_name(house: House) -> None:
    """Both judge the same documents, each for themselves, and every page tells them apart."""
    number = house.campaign(assessors=2, method="passive", budget=40)
    (one, _), (two, _) = (house.room.people.invite(number, "ann") for _ in range(2))
    clients = [house.enter(house.room.people.invite_again(person.id)) for person in (one, two)]
    for _ in range(2):
        for grade, client in enumerate(clients):
            answer(client, number, grade)
    opened = house.room.campaigns.get(number)
    assert opened.review.own(one.id).done == opened.review.own(two.id).done == 2
    names = {f"ann (#{one.id})", f"ann (#{two.id})"}
    assert set(opened.review.assessors().values()) == names
    assert set(opened.review.disagreements()[0].said) == names
    agreement = opened.review.agreement()
    assert agreement is not None
    assert agreement.pairs.height == 1
    admin = house.admin()
    for page in ("", "/people", "/disagreements"):
        assert admin.get(f"/campaigns/{number}{page}").status_code == 200
    qrels = admin.get(f"/campaigns/{number}/files/assessors.txt").text
    assert {line.split()[1] for line in qrels.splitlines()} == {name.replace(" ", "_") for name in names}


def test_an_imported_name_of_somebody(house: House) -> None:
    """Who is here keeps their name, and the labels that came under it are marked as imported and have no pace."""
    number, labels = house.campaign(method="passive"), pool().select("query", "document").rows()
    answer(house.assessor(number, "Ann Lee"), number, 2)
    program, boss = house.program(), house.admin()
    sent = [{"query": query, "document": name, "grade": 1, "assessor": "Ann Lee"} for query, name in labels[:10]]
    place = f"/api/v1/campaigns/{number}"
    assert program.post(f"{place}/labels", json={"labels": sent}).json()["imported"] == 10
    opened, theirs = house.room.campaigns.get(number), "Ann Lee (imported)"
    done = {name: (one.done, one.pace) for name, one in opened.review.everybody().items()}
    assert done == {"Ann Lee": (1, None), theirs: (10, None)}
    for page in ("", "/labels"):
        text = boss.get(f"/campaigns/{number}{page}").text
        assert theirs in text
        assert "(#" not in text
    assert len(program.get(f"{place}/labels", params={"assessor": theirs}).json()) == 10
    assert set(opened.campaign.labels()["assessor"]) == {"Ann Lee"}
    file = boss.get(f"/campaigns/{number}/files/labels.csv").text
    assert theirs not in file
    params = {"name": "b", "filename": "c.rg"}
    made = program.post("/api/v1/campaigns", params=params, content=program.get(f"{place}/files/campaign.rg").content)
    copied = house.room.campaigns.get(made.json()["id"]).campaign.labels()
    assert dict(copied["assessor"].value_counts().iter_rows()) == {"Ann Lee": 1, theirs: 10}


def test_two_who_settle_have_one_name(house: House) -> None:
    """Pages and API say which of them settled a disagreement, also where an assessor has the name."""
    number = house.campaign(assessors=2, method="passive")
    people = [house.room.people.invite(number, "eve", Role.MANAGER) for _ in range(2)]
    for _ in range(2):
        pair = [answer(house.assessor(number, name), number, grade) for grade, name in enumerate(("ann", "eve"))]
        assert pair[0]["document"] == pair[1]["document"]
    managers = [house.enter(link) for _, link in people]
    for manager, one in zip(managers, house.room.campaigns.get(number).review.disagreements(), strict=True):
        sent = {"csrf": csrf(manager), "query": one.query, "document": one.document, "grade": "2"}
        assert manager.post(f"/campaigns/{number}/disagreements", data=sent).status_code == 303
    names = [f"eve (#{person.id})" for person, _ in people]
    found = house.room.campaigns.get(number).review.disagreements()
    assert sorted(one.settled_by or "" for one in found) == names
    assert all({"ann (#", "eve (#"} >= {name[:6] for name in one.said} for one in found)
    for page in ("disagreements", "labels?kind=settled"):
        text = managers[0].get(f"/campaigns/{number}/{page}").text
        assert all(name in text for name in names)


def test_numbers_do_not_travel(house: House) -> None:
    """In a copy of the campaign people are known by names, each by another: its numbers would be other people here."""
    number = house.campaign(assessors=2, method="passive")
    for grade in range(2):
        answer(house.assessor(number, "ann"), number, grade)
    program = house.program()
    content = program.get(f"/api/v1/campaigns/{number}/files/campaign.rg").content
    params = {"name": "b", "filename": "c.rg"}
    refused = program.post("/api/v1/campaigns", params={**params, "measure": "P@5", "budget": 9}, content=content)
    assert refused.status_code == 422
    assert "brings its settings along: leave out budget, measure" in refused.text
    made = program.post("/api/v1/campaigns", params=params, content=content)
    labels = house.room.campaigns.get(made.json()["id"]).campaign.labels()
    assert labels["person"].null_count() == 2
    assert labels["assessor"].n_unique() == 2
    assert labels["origin"].to_list() == [LabelOrigin.ANSWERED] * 2


def test_the_administrator_is_one_person(house: House) -> None:
    """Each start of the room prints a link for the same person; another name is somebody else."""
    people = house.room.people
    entered = [people.enter(people.admin_link(name)) for name in ("root", "root", "eve")]
    numbers = [found[0].id for found in entered if found is not None]
    assert numbers[0] == numbers[1] != numbers[2]
    people.invite(1, "root")
    found = people.enter(people.admin_link("root"))
    assert found is not None
    assert (found[0].id, found[0].role) == (numbers[0], Role.ADMIN)


@pytest.mark.parametrize("role", [Role.MANAGER, Role.VIEWER, Role.ASSESSOR])
def test_roles(house: House, role: Role) -> None:
    """A manager runs one campaign, a viewer sees it, an assessor judges; none of them is there for another campaign."""
    number, other = house.campaign("one"), house.campaign("other")
    person, link = house.room.people.invite(number, "ann", role)
    client = house.enter(link)
    token = csrf(client)
    may = {
        Permission.WATCH: client.get(f"/campaigns/{number}"),
        Permission.JUDGE: client.get(f"/campaigns/{number}/judge"),
        Permission.MANAGE: client.post(f"/campaigns/{number}/pause", data={"csrf": token}),
        Permission.IMPORT: client.post(
            f"/campaigns/{number}/labels", data={"csrf": token}, files={"labels": ("a.csv", b"query,document,grade\n")}
        ),
        Permission.ADMINISTER: client.get("/campaigns/new"),
    }
    assert {permission for permission, got in may.items() if got.status_code != 403} == {
        permission for permission in Permission if role.may(permission)
    }
    assert client.get(f"/campaigns/{other}").status_code == 404
    assert client.get("/").headers["location"].startswith(f"/campaigns/{number}")
    assert not person.may(Permission.ADMINISTER)


def test_a_later_room_is_refused(engine: sa.Engine, database: str) -> None:
    """A database that a later version has migrated is one clear error, on the command line and in the room."""
    migrate(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")
    with pytest.raises(InputError, match=r"later version \(9999"):
        Campaign.open(f"{database}#news")
    with pytest.raises(InputError, match=r"later version \(9999"):
        migrate(engine)


def test_a_file_of_the_first_version_becomes_a_room(tmp_path: Path) -> None:
    """A campaign's file of version 0.1 keeps its labels, and gets the columns that it lacks, here and in a room."""
    path = tmp_path / "old.rg"
    path.write_bytes(gzip.decompress(GOLDEN.read_bytes()))
    with Campaign.open(path) as campaign:
        labels, before = campaign.labels(), campaign.estimate()
        assert set(labels["origin"]) == {LabelOrigin.UNKNOWN}
        assert Review(campaign).assessors() == {"anna": "anna", "ben": "ben"}
    engine = connect(Location(path), existing=True)
    migrate(engine)
    upgrade(engine)
    engine.dispose()
    with Campaign.open(path) as campaign:
        assert campaign.labels().equals(labels)
        assert campaign.estimate() == before


def test_the_tables_are_as_new_as_the_migrations(engine: sa.Engine) -> None:
    """The command line knows the number of the room's last migration."""
    migrate(engine)
    with engine.connect() as connection:
        number = connection.exec_driver_sql("select version_num from alembic_version").scalar()
    assert number == f"{tables.SCHEMA:04}"


def test_origins(house: House) -> None:
    """What was handed out is answered; what a manager sends besides is imported, with who sent it; and it is shown."""
    number = house.campaign(assessors=2, method="passive", budget=40)
    ann = answer(house.assessor(number, "ann"), number, 2)
    boss, link = house.room.people.invite(number, "bo", Role.MANAGER)
    manager = house.enter(link)
    rows = pool().filter(pool()["query"] != ann["query"]).head(2)
    text = "query,document,grade,assessor\n" + "".join(f"{q},{d},1,ann\n" for q, d in rows["query", "document"].rows())
    sent = {"labels": ("old.csv", text.encode())}
    page = manager.post(f"/campaigns/{number}/labels", data={"csrf": csrf(manager)}, files=sent)
    assert page.status_code == 200
    labels = house.room.campaigns.get(number).campaign.labels()
    assert labels["origin"].to_list() == [LabelOrigin.ANSWERED, LabelOrigin.IMPORTED, LabelOrigin.IMPORTED]
    assert labels["assessor"].to_list() == ["ann"] * 3
    assert labels["person"].to_list()[1:] == [None, None], "a name in a file is nobody of the room"
    assert labels["sender"].to_list()[1:] == [boss.id, boss.id]
    assert "2 imported" in manager.get(f"/campaigns/{number}").text
    csv = manager.get(f"/campaigns/{number}/files/labels.csv").text
    assert csv.splitlines()[0].split(",")[:7] == ["query", "document", "grade", "assessor", "person", "kind", "origin"]
    assert csv.count(",imported,") == 2
