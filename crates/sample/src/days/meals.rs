//! Meals of a wearer, and their effect on blood glucose.

use chrono::NaiveDate;

use super::clock::number;
use super::noise::Of;
use super::wearer::Wearer;

/// Dish, with the nutrients of a serving in g.
#[derive(Debug)]
pub(super) struct Dish {
    pub(super) name: &'static str,
    pub(super) carbs: f64,
    pub(super) protein: f64,
    pub(super) fat: f64,
    pub(super) sugar: f64,
    pub(super) fibre: f64,
}

const fn dish(name: &'static str, [carbs, protein, fat, sugar, fibre]: [f64; 5]) -> Dish {
    Dish {
        name,
        carbs,
        protein,
        fat,
        sugar,
        fibre,
    }
}

const BREAKFASTS: &[Dish] = &[
    dish("Porridge with apple", [52.0, 11.0, 8.0, 16.0, 7.5]),
    dish("Rye bread with cheese", [38.0, 17.0, 14.0, 3.0, 6.0]),
    dish("Yoghurt with muesli", [46.0, 15.0, 9.0, 19.0, 5.0]),
];
const LUNCHES: &[Dish] = &[
    dish("Lentil soup with bread", [62.0, 24.0, 9.0, 7.0, 14.0]),
    dish("Salad with chicken", [18.0, 36.0, 17.0, 6.0, 5.5]),
    dish("Rice with vegetables", [74.0, 13.0, 11.0, 8.0, 6.0]),
];
const DINNERS: &[Dish] = &[
    dish("Pasta with tomatoes", [88.0, 20.0, 13.0, 11.0, 7.0]),
    dish("Salmon with potatoes", [45.0, 37.0, 21.0, 4.0, 5.0]),
    dish("Omelette with salad", [12.0, 26.0, 24.0, 5.0, 3.5]),
];
const SNACKS: &[Dish] = &[
    dish("Banana", [27.0, 1.3, 0.4, 14.0, 3.1]),
    dish("Nuts", [6.0, 6.0, 18.0, 1.5, 3.0]),
];

/// Name, time in minutes after midnight, percentage of days, and dishes of each meal.
const TIMES: &[(&str, i64, f64, &[Dish])] = &[
    ("Breakfast", 8 * 60 + 45, 92.0, BREAKFASTS),
    ("Lunch", 12 * 60 + 40, 97.0, LUNCHES),
    ("Snack", 15 * 60 + 45, 45.0, SNACKS),
    ("Dinner", 19 * 60 + 50, 98.0, DINNERS),
];

/// Meal of a day.
#[derive(Debug)]
pub(super) struct Meal {
    pub(super) name: &'static str,
    pub(super) at: i64,
    pub(super) dish: &'static Dish,
    /// Size in servings.
    pub(super) servings: f64,
}

/// Returns the meals of a day in order, all after the wearer gets up at `up`.
pub(super) fn of_day(wearer: &Wearer, day: NaiveDate, up: i64) -> Vec<Meal> {
    let noise = wearer.noise;
    let times = TIMES.iter().zip(0..);
    let eaten = times.map(|(time, index)| (time, number(day) * 8 + index));
    let eaten = eaten.filter(|((_, _, chance, _), at)| noise.percent(Of::Meal, *at, *chance));
    eaten
        .map(|((name, minutes, _, dishes), at)| Meal {
            name,
            at: (wearer
                .clock
                .at(day, minutes + (noise.sway(Of::Meal, -at) * 25.0) as i64))
            .max(up + 1_200),
            dish: noise.one_of(Of::Serving, at, dishes),
            servings: 1.0 + 0.25 * noise.sway(Of::Serving, -at),
        })
        .collect()
}

/// Returns blood glucose in mmol/L: a peak after each meal, and a slow rise in the morning.
pub(super) fn glucose(wearer: &Wearer, meals: &[Meal], at: i64) -> f64 {
    let rises = meals.iter().filter(|meal| meal.at <= at).map(|meal| {
        // The curve has a peak of 1 after 45 minutes.
        let time = (at - meal.at) as f64 / (45.0 * 60.0);
        meal.dish.carbs * meal.servings * 0.036 * time * (1.0 - time).exp()
    });
    let hour = wearer.clock.minute(at) / 60.0;
    let dawn = 0.35 * (-((hour - 7.0) / 1.5).powi(2)).exp();
    5.0 + dawn + rises.sum::<f64>() + 0.3 * wearer.noise.smooth(Of::Glucose, at, 2_400)
}
