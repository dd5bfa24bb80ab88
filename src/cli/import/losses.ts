/**
 * How much each kind of loss weighs, by its reason: content that is not there, or that says something else, comes first in
 * a report; what only looks different comes last. A reason that is not here weighs as much as content.
 */

export const WEIGHTS = ['dropped', 'changed', 'cosmetic'] as const
export type Weight = (typeof WEIGHTS)[number]

const REASONS = {
  dropped: [
    // From every source.
    'a file is not in --media',
    'guides have no such field',
    'left out',
    'left out, text in it is kept',
    'no field of a post',
  ],
  changed: [
    'a link leads to no article of this import',
    'dated in the future, and put as a draft',
    'holds what no slug has',
    'says that it is a draft, and stays one',
  ],
  cosmetic: ['style attributes are removed'],
} as const satisfies Record<Weight, readonly string[]>

/** What is said of a loss; which one it is stands in its detail. */
export type Reason = (typeof REASONS)[Weight][number]

const weights = new Map<string, Weight>(
  WEIGHTS.flatMap((weight) => REASONS[weight].map((reason) => [reason, weight] as const)),
)

export function weightOf(reason: string): Weight {
  return weights.get(reason) ?? 'dropped'
}
