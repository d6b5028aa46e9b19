//! The functions of the namespace `math` (F&O 3.1 §4.8), on doubles.
//!
//! They call the C library like Python does, so both give the same digits.

/// A function of one double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mathematics {
    /// math:sqrt
    SquareRoot,
    /// math:exp
    Exponential,
    /// math:log
    Logarithm,
    /// math:log10
    Logarithm10,
    /// math:sin
    Sine,
    /// math:cos
    Cosine,
    /// math:tan
    Tangent,
    /// math:asin
    ArcSine,
    /// math:acos
    ArcCosine,
    /// math:atan
    ArcTangent,
}

impl Mathematics {
    /// By its word.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "math:sqrt" => Mathematics::SquareRoot,
            "math:exp" => Mathematics::Exponential,
            "math:log" => Mathematics::Logarithm,
            "math:log10" => Mathematics::Logarithm10,
            "math:sin" => Mathematics::Sine,
            "math:cos" => Mathematics::Cosine,
            "math:tan" => Mathematics::Tangent,
            "math:asin" => Mathematics::ArcSine,
            "math:acos" => Mathematics::ArcCosine,
            "math:atan" => Mathematics::ArcTangent,
            _ => return None,
        })
    }

    /// Its value.
    pub fn of(self, value: f64) -> f64 {
        let found = match self {
            Mathematics::SquareRoot => value.sqrt(),
            Mathematics::Exponential => value.exp(),
            Mathematics::Logarithm => value.ln(),
            Mathematics::Logarithm10 => value.log10(),
            Mathematics::Sine => value.sin(),
            Mathematics::Cosine => value.cos(),
            Mathematics::Tangent => value.tan(),
            Mathematics::ArcSine => value.asin(),
            Mathematics::ArcCosine => value.acos(),
            Mathematics::ArcTangent => value.atan(),
        };
        if found.is_nan() {
            f64::NAN
        } else {
            found
        }
    }
}

/// math:pow: 1 to any power and any number to the power 0 are 1.
pub fn power(base: f64, exponent: f64) -> f64 {
    base.powf(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_language() {
        assert_eq!(Mathematics::Logarithm.of(0.0), f64::NEG_INFINITY);
        assert_eq!(Mathematics::Logarithm10.of(-0.0), f64::NEG_INFINITY);
        assert!(Mathematics::SquareRoot.of(-1.0).is_nan());
        assert_eq!(Mathematics::Exponential.of(1e9), f64::INFINITY);
        assert_eq!(power(-0.0, -3.0), f64::NEG_INFINITY);
        assert_eq!(power(f64::NAN, 0.0), 1.0);
        assert_eq!(power(-1e200, 3.0), f64::NEG_INFINITY);
        assert!(power(-2.0, 0.5).is_nan());
    }
}
