import { describe, expect, it } from 'vitest'
import { groupByBytes, RESPONSE_BUDGET_BYTES } from '../../../src/content/byte-budget.ts'

const MIB = 1024 * 1024
const group = (...weights: number[]) => groupByBytes(weights, (weight) => weight)

describe('groupByBytes', () => {
  it('leaves room below the 10 MiB limit of a database response', () => {
    expect(RESPONSE_BUDGET_BYTES).toBeLessThan(10 * MIB)
  })

  it('makes no group for no rows, and one for rows that fit', () => {
    expect(group()).toEqual([])
    expect(group(0, 0, 1)).toEqual([[0, 0, 1]])
    expect(group(4 * MIB, 4 * MIB)).toEqual([[4 * MIB, 4 * MIB]])
  })

  it('starts a new group when the budget is used up, in order', () => {
    expect(group(4 * MIB, 4 * MIB, 1)).toEqual([[4 * MIB, 4 * MIB], [1]])
    expect(group(5 * MIB, 5 * MIB, 3 * MIB)).toEqual([[5 * MIB], [5 * MIB, 3 * MIB]])
  })

  it('puts a row that is too large into a group of its own', () => {
    expect(group(1, 9 * MIB, 1, 2)).toEqual([[1], [9 * MIB], [1, 2]])
    expect(group(9 * MIB, 9 * MIB)).toEqual([[9 * MIB], [9 * MIB]])
  })

  it('neither loses nor repeats a row, and stays within the budget', () => {
    const weights = Array.from({ length: 200 }, (_, n) => (n * 7_919 * 997) % (6 * MIB))
    const groups = group(...weights)
    expect(groups.flat()).toEqual(weights)
    for (const each of groups) {
      expect(each.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(RESPONSE_BUDGET_BYTES)
    }
  })
})
