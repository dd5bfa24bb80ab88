/** Changesets by their actions, and those that repeat each other as one. */
import { type AuditAction, auditActions } from '../../../src/people/audit-actions.ts'
import type { AuditEntry } from '../../../src/people/audit-log.ts'
import { actorOf, describeMany, describeOne, type Entry, type Part, sentenceOf } from './sentence.ts'
import { STEPS_OF } from './words.ts'

const MINUTE_LENGTH = '2026-11-21T10:00'.length

/** At most this many actions describe a changeset, the most frequent first. */
const MAX_KINDS = 3

type Grouped = Entry & Pick<AuditEntry, 'changeset'>

/** `Ada rebuilt 1,054 posts`, `Ada removed Ben, deleted 2 tokens`. */
export function changesetOf(entry: Grouped): Part[] {
  const kinds = kindsOf([entry])
  const said = kinds
    .slice(0, MAX_KINDS)
    .map(([action, count]) => (count === 1 && describeOne(entry, action)) || describeMany(action, count))
  return [actorOf(entry), { text: ' ' }, { text: listKinds(said, kinds) }]
}

/** `Ada created 36 guides`, `Ada edited “Pruning” 3 times` */
export function foldOf(fold: Grouped[]): Part[] {
  if (fold[0]!.resourceId && isOneThing(fold))
    return [...sentenceOf(fold[0]!), { text: ` ${fold.length} times` }]
  // The resource of a changeset with several entries is only its first.
  const keyOf = (one: Grouped) => (one.changeset.entries === 1 && one.resourceId) || one
  const kinds = kindsOf([...new Map(fold.map((one) => [keyOf(one), one])).values()])
  const said = kinds.slice(0, MAX_KINDS).map(([action, count]) => describeMany(action, count))
  return [actorOf(fold[0]!), { text: ' ' }, { text: listKinds(said, kinds) }]
}

const listKinds = (said: string[], kinds: unknown[]) =>
  said.join(', ') + (kinds.length > MAX_KINDS ? ', and more' : '')

/** The actions with the sum of their counts, the most frequent first. */
export function kindsOf(changesets: Grouped[]): [action: string, count: number][] {
  const counts: Record<string, number> = {}
  for (const { changeset } of changesets)
    for (const [action, count] of Object.entries(changeset.actions))
      counts[action] = (counts[action] ?? 0) + count
  const isStep = ([action, count]: [string, number]) =>
    STEPS_OF[action]?.some((whole) => (counts[whole] ?? 0) >= count)
  // People and sites come last in the list of actions, and are what a changeset with other entries is about.
  const rank = ([action]: [string, number]) => auditActions.indexOf(action as AuditAction)
  return Object.entries(counts)
    .filter((kind) => !isStep(kind))
    .sort((a, b) => b[1] - a[1] || rank(b) - rank(a))
}

type Foldable = Grouped & Pick<AuditEntry, 'at' | 'siteId'>

/** Puts changesets together that follow each other and say the same, within one minute. */
export function foldChangesets<One extends Foldable>(changesets: One[]): One[][] {
  const folds: One[][] = []
  for (const one of changesets) {
    const fold = folds.at(-1)
    if (fold && isRepeat(one, fold)) fold.push(one)
    else folds.push([one])
  }
  return folds
}

function isRepeat(one: Foldable, fold: Foldable[]): boolean {
  const saidBy = (entry: Foldable) => {
    const { actorId, actor, channel, siteId, at, changeset } = entry
    const actions = Object.keys(changeset.actions).toSorted()
    return [actorId, actor, channel, siteId, at.slice(0, MINUTE_LENGTH), ...actions].join()
  }
  if (saidBy(one) !== saidBy(fold[0]!)) return false
  if (!isOneThing([...fold, one])) return true
  const [said, first] = [one, fold[0]!].map(
    (entry) => entry.changeset.entries === 1 && JSON.stringify(sentenceOf(entry)),
  )
  return said !== false && said === first
}

const isOneThing = (fold: Pick<Entry, 'resourceId'>[]) =>
  fold.every(({ resourceId }) => resourceId === fold[0]!.resourceId)
