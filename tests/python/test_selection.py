"""Which cases run: platforms, selectors and manual cases."""

from __future__ import annotations

import pytest
from taskmill.scene import SceneTestCase, scene_test
from taskmill.scene.selection import Job, Manual, Selection, SelectionError, Selector, require_stages

BOTH = ["a2a3sim", "a5sim"]


@scene_test()
class Vector(SceneTestCase):
    __test__ = False
    CASES = [
        {"name": "small", "platforms": BOTH},
        {"name": "large", "platforms": ["a5sim"]},
        {"name": "huge", "platforms": BOTH, "manual": True},
    ]


@scene_test()
class Matrix(SceneTestCase):
    __test__ = False
    CHECK_CALLABLE = {"orchestration": {}}
    CASES = [{"name": "small", "platforms": BOTH, "manual": "a5sim"}, {"name": "wide", "platforms": BOTH, "manual": ("a2a3sim",)}]


def names(*cases, platform="a2a3sim", manual="exclude"):
    return [job.name for job in Selection(platform, cases, Manual(manual)).jobs([Vector, Matrix])]


def refusal(*cases, **options):
    with pytest.raises(SelectionError) as raised:
        names(*cases, **options)
    return raised.value.option, str(raised.value)


def test_a_platform_takes_the_cases_that_list_it():
    assert names() == ["Vector::small", "Matrix::small"]
    assert names(platform="a5sim") == ["Vector::small", "Vector::large", "Matrix::wide"]


def test_without_a_platform_each_case_is_on_its_first():
    jobs = Selection().jobs([Vector, Matrix])
    assert [(job.name, job.platform) for job in jobs] == [
        ("Vector::small", "a2a3sim"),
        ("Vector::large", "a5sim"),
        ("Matrix::small", "a2a3sim"),
    ]


@pytest.mark.parametrize(
    ("selectors", "selected"),
    [
        (["small"], ["Vector::small", "Matrix::small"]),
        (["::small"], ["Vector::small", "Matrix::small"]),
        (["Vector::small"], ["Vector::small"]),
        (["Matrix::"], ["Matrix::small"]),
        (["Matrix::", "Vector::small"], ["Vector::small", "Matrix::small"]),
    ],
)
def test_a_selector_names_a_case_a_class_or_both(selectors, selected):
    assert names(*selectors) == selected


def test_manual_cases_are_left_out_taken_too_or_taken_alone():
    assert names(manual="include") == ["Vector::small", "Vector::huge", "Matrix::small", "Matrix::wide"]
    assert names(manual="only") == ["Vector::huge", "Matrix::wide"]
    assert names(manual="only", platform="a5sim") == ["Vector::huge", "Matrix::small"]


def test_an_unknown_class_or_case_is_refused_even_beside_known_ones():
    assert refusal("small", "Vektor::small") == ("--case", "no scene is called 'Vektor'; known are Matrix, Vector")
    assert refusal("Vector::wide") == (
        "--case",
        "no case is called 'Vector::wide'; known are Vector::huge, Vector::large, Vector::small",
    )
    assert refusal("Vector")[1].startswith("no case is called 'Vector'; known are Matrix::small, ")


@pytest.mark.parametrize("text", ["", "::", "a::b::c"])
def test_a_selector_of_another_form_is_refused(text):
    with pytest.raises(SelectionError, match="none of Foo, Class::Foo, Class:: and ::Foo"):
        Selector.parse(text)


def test_a_filter_that_leaves_nothing_is_named_in_the_order_platform_selector_manual():
    assert refusal("huge", platform="a9") == ("--platform", "no case runs on 'a9'; cases list a2a3sim, a5sim")
    assert refusal("large", manual="only") == ("--case", "no case of large runs on 'a2a3sim'")
    assert refusal("huge") == ("--manual", "exclude leaves no case: Vector::huge: manual")
    assert refusal("Vector::small", manual="only") == ("--manual", "only leaves no case: Vector::small: not manual")


def test_a_job_of_the_selection_is_kept_and_no_other():
    selection = Selection("a2a3sim", ["small"])
    kept = [job.name for scene in (Vector, Matrix) for job in selection.all_jobs(scene) if selection.keeps(job)]
    assert kept == names("small")


def test_check_mode_wants_stages_and_references():
    jobs = [Job(scene, scene.CASES[0], "a2a3sim") for scene in (Vector, Matrix)]
    with pytest.raises(SelectionError, match="^Vector has no stages"):
        require_stages(jobs, skip_golden=False)
    require_stages(jobs[1:], skip_golden=False)
    with pytest.raises(SelectionError, match="--skip-golden"):
        require_stages(jobs[1:], skip_golden=True)


@pytest.mark.parametrize(
    ("keys", "error", "told"),
    [
        ({"platforms": "a2a3sim"}, TypeError, "platforms is 'a2a3sim', must be a list of platform names"),
        ({"platforms": [2]}, TypeError, "platforms is \\[2\\], must be a list of platform names"),
        ({"manual": 1}, TypeError, "manual is 1, must be True, False or platform names"),
        ({"manual": ["a5sim", None]}, TypeError, "manual is .*, must be True, False or platform names"),
        ({"skip_golden": "no"}, TypeError, "skip_golden is 'no', must be True or False"),
        ({"params": [1]}, TypeError, "params is a list, must be a mapping"),
    ],
)
def test_a_key_of_a_case_that_cannot_be_used_is_refused_by_scene_and_case(keys, error, told):
    class Odd(SceneTestCase):
        CASES = [{"name": "odd", "platforms": BOTH, **keys}]

    with pytest.raises(error, match=f"^Odd::odd: {told}"):
        scene_test()(Odd)


def test_two_cases_of_one_name_are_refused_and_keys_of_others_are_let_be():
    class Twice(SceneTestCase):
        CASES = [{"name": "a", "platforms": BOTH, "required_phases": 3}, {"name": "a", "platforms": BOTH}]

    with pytest.raises(ValueError, match="^Twice::a: two cases have this name"):
        scene_test()(Twice)
    Twice.CASES = Twice.CASES[:1]
    assert scene_test()(Twice) is Twice
