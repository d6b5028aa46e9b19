//! The computations of orders and conditions on a pair, exactly and for all items of a box at once.

/// A column of numbers, one for each item of a side.
pub type Column = Vec<f64>;

/// A computation on a left and a right item.
#[derive(Clone, Debug)]
pub enum Term {
    /// A column of the left side.
    Left(usize),
    /// A column of the right side.
    Right(usize),
    /// A constant.
    Constant(f64),
    /// The sum of two.
    Add(Box<Term>, Box<Term>),
    /// The difference.
    Subtract(Box<Term>, Box<Term>),
    /// The product.
    Multiply(Box<Term>, Box<Term>),
    /// The quotient.
    Divide(Box<Term>, Box<Term>),
    /// Negation.
    Negate(Box<Term>),
    /// The absolute value.
    Absolute(Box<Term>),
    /// The square root.
    Root(Box<Term>),
    /// The angle between two places on the sky: right ascension and declination of each, all in degrees.
    Sky(Box<[Term; 4]>),
}

/// Columns of both sides.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    /// Of the left side.
    pub left: &'a [Column],
    /// Of the right side.
    pub right: &'a [Column],
}

/// From the least to the greatest value.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub least: f64,
    pub most: f64,
}

const ANYTHING: Bounds = Bounds { least: f64::NEG_INFINITY, most: f64::INFINITY };
const RADIANS: f64 = 0.017453292519943295;
const DEGREES: f64 = 57.29577951308232;

impl Bounds {
    fn new(least: f64, most: f64) -> Bounds {
        Bounds {
            least: if least.is_nan() { f64::NEG_INFINITY } else { least },
            most: if most.is_nan() { f64::INFINITY } else { most },
        }
    }

    fn only(value: f64) -> Bounds {
        Bounds::new(value, value)
    }

    /// The bounds of an operation that is monotonic in each operand, from its corners.
    fn corners(a: Bounds, b: Bounds, operation: impl Fn(f64, f64) -> f64) -> Bounds {
        let all = [
            operation(a.least, b.least),
            operation(a.least, b.most),
            operation(a.most, b.least),
            operation(a.most, b.most),
        ];
        if all.iter().any(|value| value.is_nan()) {
            return ANYTHING;
        }
        Bounds {
            least: all.iter().copied().fold(f64::INFINITY, f64::min),
            most: all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Columns of the left side: those given, then those that terms add.
pub struct Wanted {
    pub given: usize,
    pub terms: Vec<Term>,
}

impl Wanted {
    /// The columns of some left items, with computed columns.
    pub fn of(&self, mut given: Vec<Column>, items: usize) -> Vec<Column> {
        for term in &self.terms {
            let columns = Columns { left: &given, right: &[] };
            let made = (0..items).map(|item| term.value(columns, item, 0)).collect();
            given.push(made);
        }
        given
    }
}

impl Term {
    /// The value of a pair.
    pub fn value(&self, columns: Columns<'_>, left: usize, right: usize) -> f64 {
        let of = |term: &Term| term.value(columns, left, right);
        match self {
            Term::Left(column) => columns.left[*column][left],
            Term::Right(column) => columns.right[*column][right],
            Term::Constant(value) => *value,
            Term::Add(a, b) => of(a) + of(b),
            Term::Subtract(a, b) => of(a) - of(b),
            Term::Multiply(a, b) => of(a) * of(b),
            Term::Divide(a, b) => of(a) / of(b),
            Term::Negate(a) => -of(a),
            Term::Absolute(a) => of(a).abs(),
            Term::Root(a) => of(a).sqrt(),
            Term::Sky(places) => separation(of(&places[0]), of(&places[1]), of(&places[2]), of(&places[3])),
        }
    }

    /// Bounds of the values of one left item with all right items of a box.
    pub fn bounds(&self, columns: Columns<'_>, left: usize, around: &[Bounds]) -> Bounds {
        let of = |term: &Term| term.bounds(columns, left, around);
        match self {
            Term::Left(column) => Bounds::only(columns.left[*column][left]),
            Term::Right(column) => around[*column],
            Term::Constant(value) => Bounds::only(*value),
            Term::Add(a, b) => {
                let (a, b) = (of(a), of(b));
                Bounds::new(a.least + b.least, a.most + b.most)
            }
            Term::Subtract(a, b) => {
                let (a, b) = (of(a), of(b));
                Bounds::new(a.least - b.most, a.most - b.least)
            }
            Term::Multiply(a, b) => Bounds::corners(of(a), of(b), |a, b| a * b),
            Term::Divide(a, b) => {
                let (a, b) = (of(a), of(b));
                if b.least <= 0.0 && b.most >= 0.0 {
                    return ANYTHING;
                }
                Bounds::corners(a, b, |a, b| a / b)
            }
            Term::Negate(a) => {
                let a = of(a);
                Bounds::new(-a.most, -a.least)
            }
            Term::Absolute(a) => {
                let a = of(a);
                if a.least <= 0.0 && a.most >= 0.0 {
                    return Bounds::new(0.0, a.most.max(-a.least));
                }
                Bounds::new(a.least.abs().min(a.most.abs()), a.least.abs().max(a.most.abs()))
            }
            Term::Root(a) => {
                let a = of(a);
                Bounds::new(a.least.max(0.0).sqrt(), a.most.max(0.0).sqrt())
            }
            Term::Sky(places) => sky_bounds(of(&places[0]), of(&places[1]), of(&places[2]), of(&places[3])),
        }
    }

    /// Whether it reads a column of the left, and of the right side.
    fn sides(&self) -> (bool, bool) {
        let either = |a: (bool, bool), b: (bool, bool)| (a.0 || b.0, a.1 || b.1);
        match self {
            Term::Left(_) => (true, false),
            Term::Right(_) => (false, true),
            Term::Constant(_) => (false, false),
            Term::Add(a, b) | Term::Subtract(a, b) | Term::Multiply(a, b) | Term::Divide(a, b) => {
                either(a.sides(), b.sides())
            }
            Term::Negate(a) | Term::Absolute(a) | Term::Root(a) => a.sides(),
            Term::Sky(places) => places.iter().map(Term::sides).fold((false, false), either),
        }
    }

    /// Replaces each part that reads only one side by a column. Columns of the right side are computed here; `wanted`
    /// lists those of the left side, which are computed when left items arrive.
    pub fn settled(self, wanted: &mut Wanted, right: &mut Vec<Column>, items: usize) -> Term {
        match self.sides() {
            (false, false) => return Term::Constant(self.value(Columns { left: &[], right: &[] }, 0, 0)),
            (true, false) if !matches!(self, Term::Left(_)) => {
                wanted.terms.push(self);
                return Term::Left(wanted.given + wanted.terms.len() - 1);
            }
            (false, true) if !matches!(self, Term::Right(_)) => {
                let columns = Columns { left: &[], right };
                let made = (0..items).map(|item| self.value(columns, 0, item)).collect();
                right.push(made);
                return Term::Right(right.len() - 1);
            }
            _ => {}
        }
        let mut of = |term: Box<Term>| Box::new(term.settled(wanted, right, items));
        match self {
            Term::Add(a, b) => Term::Add(of(a), of(b)),
            Term::Subtract(a, b) => Term::Subtract(of(a), of(b)),
            Term::Multiply(a, b) => Term::Multiply(of(a), of(b)),
            Term::Divide(a, b) => Term::Divide(of(a), of(b)),
            Term::Negate(a) => Term::Negate(of(a)),
            Term::Absolute(a) => Term::Absolute(of(a)),
            Term::Root(a) => Term::Root(of(a)),
            Term::Sky(places) => Term::Sky(Box::new(places.map(|place| place.settled(wanted, right, items)))),
            other => other,
        }
    }

    /// The same with its sides exchanged.
    pub fn mirrored(&self) -> Term {
        let of = |term: &Term| Box::new(term.mirrored());
        match self {
            Term::Left(column) => Term::Right(*column),
            Term::Right(column) => Term::Left(*column),
            Term::Constant(value) => Term::Constant(*value),
            Term::Add(a, b) => Term::Add(of(a), of(b)),
            Term::Subtract(a, b) => Term::Subtract(of(a), of(b)),
            Term::Multiply(a, b) => Term::Multiply(of(a), of(b)),
            Term::Divide(a, b) => Term::Divide(of(a), of(b)),
            Term::Negate(a) => Term::Negate(of(a)),
            Term::Absolute(a) => Term::Absolute(of(a)),
            Term::Root(a) => Term::Root(of(a)),
            Term::Sky(places) => Term::Sky(Box::new([
                places[0].mirrored(),
                places[1].mirrored(),
                places[2].mirrored(),
                places[3].mirrored(),
            ])),
        }
    }

    /// The columns of the right side it reads.
    pub fn right_columns(&self, found: &mut Vec<usize>) {
        match self {
            Term::Right(column) => found.push(*column),
            Term::Left(_) | Term::Constant(_) => {}
            Term::Add(a, b) | Term::Subtract(a, b) | Term::Multiply(a, b) | Term::Divide(a, b) => {
                a.right_columns(found);
                b.right_columns(found);
            }
            Term::Negate(a) | Term::Absolute(a) | Term::Root(a) => a.right_columns(found),
            Term::Sky(places) => places.iter().for_each(|place| place.right_columns(found)),
        }
    }
}

/// The haversine is more exact than the cosine: it keeps small angles precise.
fn separation(ra1: f64, dec1: f64, ra2: f64, dec2: f64) -> f64 {
    let (d1, d2) = (dec1 * RADIANS, dec2 * RADIANS);
    let across = ((d2 - d1) / 2.0).sin();
    let along = ((ra2 * RADIANS - ra1 * RADIANS) / 2.0).sin();
    let square = across * across + d1.cos() * d2.cos() * (along * along);
    2.0 * (if square > 1.0 { 1.0 } else { square }).sqrt().asin() * DEGREES
}

/// A generous bound, in degrees, on the rounding error of the computed angle.
const SLACK: f64 = 1e-9;

/// Two places are at least as far apart as their declinations, and as their right ascensions where these converge most.
fn sky_bounds(ra1: Bounds, dec1: Bounds, ra2: Bounds, dec2: Bounds) -> Bounds {
    let lies_within = |one: &Bounds, most: f64| one.least >= -most && one.most <= most;
    if ![ra1, ra2].iter().all(|ra| lies_within(ra, 3600.0)) || ![dec1, dec2].iter().all(|dec| lies_within(dec, 90.0)) {
        return ANYTHING;
    }
    let across = (dec2.least - dec1.most).max(dec1.least - dec2.most).max(0.0);
    let shortest =
        |one: Bounds| [one.least, one.most].iter().map(|dec| (dec * RADIANS).cos()).fold(1.0, f64::min).max(0.0);
    let along = apart_on_circle(ra1, ra2);
    let square = shortest(dec1) * shortest(dec2) * (along / 2.0 * RADIANS).sin().powi(2);
    let least = across.max(2.0 * square.min(1.0).sqrt().asin() * DEGREES) * (1.0 - 1e-6) - SLACK;
    Bounds { least: least.max(0.0), most: 180.0 + SLACK }
}

/// The least angle between two ranges of right ascension, at most half a circle.
fn apart_on_circle(a: Bounds, b: Bounds) -> f64 {
    let (width_a, width_b) = (a.most - a.least, b.most - b.least);
    if width_a + width_b >= 360.0 {
        return 0.0;
    }
    let ahead = (b.least - a.most).rem_euclid(360.0);
    let behind = (a.least - b.most).rem_euclid(360.0);
    // If the ranges meet, both ways round together are shorter than the rest of the circle.
    if ahead + behind + width_a + width_b > 360.0 + 1e-6 {
        return 0.0;
    }
    ahead.min(behind).min(180.0)
}

/// One order, as values that are best where they are least.
#[derive(Clone, Debug)]
pub struct Order {
    /// The term; negated for `max`.
    pub term: Term,
    /// The greatest value that takes part.
    pub limit: f64,
}

impl Order {
    /// `(term) min limit` or `(term) max limit`.
    pub fn new(term: Term, is_max: bool, limit: Option<f64>) -> Order {
        if is_max {
            return Order { term: Term::Negate(Box::new(term)), limit: limit.map_or(f64::INFINITY, |limit| -limit) };
        }
        Order { term, limit: limit.unwrap_or(f64::INFINITY) }
    }

    /// The columns of a distance on one axis, if it is one.
    pub fn distance(&self) -> Option<(usize, usize)> {
        let Term::Absolute(inner) = &self.term else { return None };
        let Term::Subtract(a, b) = &**inner else { return None };
        match (&**a, &**b) {
            (Term::Left(left), Term::Right(right)) | (Term::Right(right), Term::Left(left)) => Some((*left, *right)),
            _ => None,
        }
    }
}

/// How a condition compares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    /// eq
    Equal,
    /// lt
    Less,
    /// le
    LessOrEqual,
}

/// A condition on pairs.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The term before the sign.
    pub one: Term,
    /// The sign.
    pub comparison: Comparison,
    /// The term behind it.
    pub other: Term,
}

impl Condition {
    /// Whether it holds for a pair.
    pub fn holds(&self, columns: Columns<'_>, left: usize, right: usize) -> bool {
        let (one, other) = (self.one.value(columns, left, right), self.other.value(columns, left, right));
        match self.comparison {
            Comparison::Equal => one == other,
            Comparison::Less => one < other,
            Comparison::LessOrEqual => one <= other,
        }
    }

    /// Whether it may hold for some item of a box.
    pub fn may_hold(&self, columns: Columns<'_>, left: usize, around: &[Bounds]) -> bool {
        let (one, other) = (self.one.bounds(columns, left, around), self.other.bounds(columns, left, around));
        match self.comparison {
            Comparison::Equal => one.least <= other.most && other.least <= one.most,
            Comparison::Less => one.least < other.most,
            Comparison::LessOrEqual => one.least <= other.most,
        }
    }

    /// The same with its sides exchanged.
    pub fn mirrored(&self) -> Condition {
        Condition { one: self.one.mirrored(), comparison: self.comparison, other: self.other.mirrored() }
    }
}
