//! Functions and operators by the words used in plans.

use super::arithmetic::Operator;
use super::mathematics::Mathematics;
use super::moment::{Field, Kind};
use super::rounding::Rounding;
use super::strings::StringFunction;
use crate::plan::Comparison;

/// A target type of casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// xs:double
    Double,
    /// xs:integer
    Integer,
    /// xs:decimal
    Decimal,
    /// xs:string
    String,
    /// xs:boolean
    Boolean,
    /// xs:date
    Date,
    /// xs:dateTime
    DateTime,
    /// xs:time
    Time,
    /// xs:dayTimeDuration
    Duration,
}

/// An aggregate over all values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// fn:sum
    Sum,
    /// fn:avg
    Average,
    /// fn:min
    Least,
    /// fn:max
    Greatest,
}

/// A function or an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// An arithmetic operator.
    Arithmetic(Operator),
    /// Unary minus.
    Negate,
    /// Unary plus.
    Plus,
    /// `=` and other general comparisons.
    General(Comparison),
    /// `eq` and other value comparisons.
    Single(Comparison),
    /// and
    And,
    /// or
    Or,
    /// fn:not
    Not,
    /// fn:boolean
    Boolean,
    /// if (…) then … else …
    If,
    /// `,`
    Sequence,
    /// fn:count
    Count,
    /// fn:exists
    Exists,
    /// fn:empty
    Empty,
    /// An aggregate of all values.
    Aggregate(Aggregate),
    /// xs:double(…) and other constructors.
    Cast(Target),
    /// castable as xs:double and other types; the flag allows the empty sequence.
    Castable(Target, bool),
    /// A value that must have a type; the flag allows the empty sequence.
    Typed(Target, bool),
    /// Whether the values are of a type, and as many as may be: whether none, and whether several.
    Instance(Target, bool, bool),
    /// fn:distinct-values
    Distinct,
    /// fn:reverse, of values
    Reverse,
    /// Nodes in document order, each once.
    DocumentOrder,
    /// Nodes that are also among others, or without the flag those that are not, in document order.
    Among(bool),
    /// fn:zero-or-one, fn:exactly-one, fn:one-or-more: the fewest and the most items.
    Cardinality(usize, usize),
    /// fn:head, or without the flag fn:tail.
    Head(bool),
    /// fn:name, or without the flag fn:local-name, of a node.
    NodeName(bool),
    /// fn:deep-equal
    DeepEqual,
    /// `is`, `<<` and `>>`: how the places of two nodes compare.
    Places(Comparison),
    /// A required value.
    One,
    /// fn:number
    Number,
    /// fn:string
    String,
    /// fn:data
    Data,
    /// fn:round and the like.
    Round(Rounding),
    /// fn:round to a number of digits, or fn:round-half-to-even.
    RoundTo {
        /// Whether a half goes to the even neighbour, and not up.
        to_even: bool,
    },
    /// A function of one double.
    Mathematics(Mathematics),
    /// math:pow
    Power,
    /// A function on strings.
    OnStrings(StringFunction),
    /// A part of a date, a time, or both.
    Field(Field, Kind),
    /// fn:seconds-from-dateTime, fn:seconds-from-time
    Seconds(Kind),
    /// fn:timezone-from-date and the like.
    Zone(Kind),
    /// fn:adjust-date-to-timezone and the like.
    Adjust(Kind),
    /// fn:dateTime
    DateWithTime,
    /// fn:string-to-codepoints
    CodePoints,
    /// fn:index-of
    IndexOf,
    /// to
    Range,
    /// A part of an xs:dayTimeDuration.
    DurationField(Field),
    /// fn:seconds-from-duration
    DurationSeconds,
}

impl Function {
    /// By its word and the number of its arguments.
    pub fn named(word: &str, arguments: usize) -> Option<Self> {
        let found = match word {
            "+" => Function::Arithmetic(Operator::Add),
            "-" => Function::Arithmetic(Operator::Subtract),
            "*" => Function::Arithmetic(Operator::Multiply),
            "div" => Function::Arithmetic(Operator::Divide),
            "idiv" => Function::Arithmetic(Operator::IntegerDivide),
            "mod" => Function::Arithmetic(Operator::Modulo),
            "negate" => Function::Negate,
            "plus" => Function::Plus,
            "eq" => Function::Single(Comparison::Equal),
            "ne" => Function::Single(Comparison::NotEqual),
            "lt" => Function::Single(Comparison::Less),
            "le" => Function::Single(Comparison::LessOrEqual),
            "gt" => Function::Single(Comparison::Greater),
            "ge" => Function::Single(Comparison::GreaterOrEqual),
            "and" => Function::And,
            "or" => Function::Or,
            "not" => Function::Not,
            "boolean" => Function::Boolean,
            "if" => Function::If,
            "," => Function::Sequence,
            "count" => Function::Count,
            "exists" => Function::Exists,
            "empty" => Function::Empty,
            "distinct-values" => Function::Distinct,
            "reverse" => Function::Reverse,
            "intersect" => Function::Among(true),
            "except" => Function::Among(false),
            "document order" => Function::DocumentOrder,
            "sum" => Function::Aggregate(Aggregate::Sum),
            "avg" => Function::Aggregate(Aggregate::Average),
            "min" => Function::Aggregate(Aggregate::Least),
            "max" => Function::Aggregate(Aggregate::Greatest),
            "zero-or-one" => Function::Cardinality(0, 1),
            "exactly-one" => Function::Cardinality(1, 1),
            "one-or-more" => Function::Cardinality(1, usize::MAX),
            "head" => Function::Head(true),
            "tail" => Function::Head(false),
            "name" => Function::NodeName(true),
            "local-name" => Function::NodeName(false),
            "deep-equal" => Function::DeepEqual,
            "is" => Function::Places(Comparison::Equal),
            "<<" => Function::Places(Comparison::Less),
            ">>" => Function::Places(Comparison::Greater),
            "one" => Function::One,
            "number" => Function::Number,
            "string" => Function::String,
            "data" => Function::Data,
            "abs" => Function::Round(Rounding::Absolute),
            "floor" => Function::Round(Rounding::Floor),
            "ceiling" => Function::Round(Rounding::Ceiling),
            "round" if arguments == 1 => Function::Round(Rounding::Nearest),
            "round" => Function::RoundTo { to_even: false },
            "round-half-to-even" => Function::RoundTo { to_even: true },
            "math:pow" => Function::Power,
            "year-from-date" => Function::Field(Field::Year, Kind::Date),
            "month-from-date" => Function::Field(Field::Month, Kind::Date),
            "day-from-date" => Function::Field(Field::Day, Kind::Date),
            "year-from-dateTime" => Function::Field(Field::Year, Kind::DateTime),
            "month-from-dateTime" => Function::Field(Field::Month, Kind::DateTime),
            "day-from-dateTime" => Function::Field(Field::Day, Kind::DateTime),
            "hours-from-dateTime" => Function::Field(Field::Hours, Kind::DateTime),
            "minutes-from-dateTime" => Function::Field(Field::Minutes, Kind::DateTime),
            "seconds-from-dateTime" => Function::Seconds(Kind::DateTime),
            "hours-from-time" => Function::Field(Field::Hours, Kind::Time),
            "minutes-from-time" => Function::Field(Field::Minutes, Kind::Time),
            "seconds-from-time" => Function::Seconds(Kind::Time),
            "timezone-from-date" => Function::Zone(Kind::Date),
            "timezone-from-dateTime" => Function::Zone(Kind::DateTime),
            "timezone-from-time" => Function::Zone(Kind::Time),
            "adjust-date-to-timezone" => Function::Adjust(Kind::Date),
            "adjust-dateTime-to-timezone" => Function::Adjust(Kind::DateTime),
            "adjust-time-to-timezone" => Function::Adjust(Kind::Time),
            "dateTime" => Function::DateWithTime,
            "string-to-codepoints" => Function::CodePoints,
            "index-of" => Function::IndexOf,
            "to" => Function::Range,
            "days-from-duration" => Function::DurationField(Field::Day),
            "hours-from-duration" => Function::DurationField(Field::Hours),
            "minutes-from-duration" => Function::DurationField(Field::Minutes),
            "seconds-from-duration" => Function::DurationSeconds,
            _ => match word.split_once(' ') {
                Some(("to", target)) => Function::Cast(Target::named(target)?),
                Some(("castable", target)) => Function::Castable(Target::named(target)?, false),
                Some(("castable?", target)) => Function::Castable(Target::named(target)?, true),
                Some(("instance", target)) => Function::Instance(Target::named(target)?, false, false),
                Some(("instance?", target)) => Function::Instance(Target::named(target)?, true, false),
                Some(("instance+", target)) => Function::Instance(Target::named(target)?, false, true),
                Some(("instance*", target)) => Function::Instance(Target::named(target)?, true, true),
                Some(("as", target)) => Function::Typed(Target::named(target)?, false),
                Some(("as?", target)) => Function::Typed(Target::named(target)?, true),
                Some(_) => return None,
                None => match Comparison::from_sign(word) {
                    Some(Comparison::Exists | Comparison::Absent) => return None,
                    Some(comparison) => Function::General(comparison),
                    None => match Mathematics::named(word) {
                        Some(function) => Function::Mathematics(function),
                        None => Function::OnStrings(StringFunction::named(word)?),
                    },
                },
            },
        };
        found.takes(arguments).then_some(found)
    }

    fn takes(self, arguments: usize) -> bool {
        match self {
            Function::Arithmetic(_) | Function::General(_) | Function::Single(_) | Function::Power => arguments == 2,
            Function::Adjust(_) | Function::Among(_) | Function::DateWithTime | Function::IndexOf | Function::Range => {
                arguments == 2
            }
            Function::DeepEqual | Function::Places(_) => arguments == 2,
            Function::RoundTo { .. } => arguments == 1 || arguments == 2,
            Function::And | Function::Or | Function::Sequence => true,
            Function::If => arguments == 3,
            Function::OnStrings(function) => function.takes(arguments),
            _ => arguments == 1,
        }
    }
}

impl Target {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "double" => Target::Double,
            "integer" => Target::Integer,
            "decimal" => Target::Decimal,
            "string" => Target::String,
            "boolean" => Target::Boolean,
            "date" => Target::Date,
            "dateTime" => Target::DateTime,
            "time" => Target::Time,
            "dayTimeDuration" => Target::Duration,
            _ => return None,
        })
    }
}
