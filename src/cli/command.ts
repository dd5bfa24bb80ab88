/** What all commands share: where the API is, --json, and how a result is written. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { joinIssues } from '../core/errors.ts'
import type { Api } from '../transfer/api.ts'
import { Failure } from '../transfer/failure.ts'
import { apiOf, connection } from './client.ts'
import type { Io } from './io.ts'
import { writeJson, writePieces, writeText } from './output.ts'

/**
 * `json` is written with --json, `text` without; `pieces` is either, where it may be too long for one string.
 * `complete: false` when not all was done.
 */
export type Result = ({ json: unknown; text: string } | { pieces: Pieces }) & { complete?: boolean }

type Pieces = (asJson: boolean) => AsyncIterable<string>

/** Ends a run whose result is written but incomplete. */
export class Incomplete extends Error {}

type Flags = { url?: string; token?: string; json?: boolean }

/** What one verb is: `usage` is its name and arguments. */
export type Verb = {
  usage: string
  description: string
  flags?: Option[]
  // biome-ignore lint/suspicious/noExplicitAny: each verb knows what its flags give
  work: (io: Io, api: Api, args: string[], flags: any) => Promise<Result>
}

/** A word before verbs, such as `key`. */
export type Noun = { name: string; description: string; verbs: Verb[] }

/** Adds a noun with its verbs, or a verb that stands alone. */
export function add(program: Command, io: Io, command: Noun | Verb): void {
  if ('verbs' in command) {
    const noun = program.command(command.name).description(command.description)
    for (const verb of command.verbs) addVerb(noun, io, verb)
  } else addVerb(program, io, command)
}

/** With a verb that has its own --url flag, the API's address goes before the noun. */
function addVerb(noun: Command, io: Io, { usage, description, flags = [], work }: Verb): void {
  const command = noun.command(usage).description(description)
  const ownUrl = flags.some((flag) => flag.long === '--url')
  for (const flag of [...flags, ...connectionFlags()]) {
    if (flag.long !== '--url' || !ownUrl || flags.includes(flag)) command.addOption(flag)
  }
  if (ownUrl) {
    command.addHelpText(
      'after',
      "\nThe management API's own --url stands in front of the noun here: admin --url … webhook set …",
    )
  }
  command.action(async () => {
    const general: Flags = rootOf(command).opts()
    const own: Flags = command.opts()
    const api = apiOf(
      io,
      await connection(io, {
        url: (ownUrl ? undefined : own.url) ?? general.url,
        token: own.token ?? general.token,
      }),
    )
    const isOwn = ([name]: [string, unknown]) => flags.some((flag) => flag.attributeName() === name)
    const given = Object.fromEntries(Object.entries(command.opts()).filter(isOwn))
    const result = await work(io, api, command.args, given).catch((error: Error) => {
      throw error instanceof Failure ? inFlags(command, error) : error
    })
    const asJson = own.json ?? general.json ?? false
    if ('pieces' in result) await writePieces(io, result.pieces(asJson), asJson)
    else if (asJson) writeJson(io, result.json)
    else writeText(io, result.text)
    if (result.complete === false) throw new Incomplete()
  })
}

/** A refusal by the API with the command's flags in place of the fields they set. */
function inFlags(command: Command, failure: Failure): Failure {
  const flagOf = (path: string) => command.options.find((flag) => flag.attributeName() === path)?.long ?? path
  if (failure.issues.every(({ path }) => flagOf(path) === path)) return failure
  const issues = failure.issues.map(({ path, message }) => ({ path: flagOf(path), message }))
  return new Failure(joinIssues(issues), failure.status, issues)
}

/** The flags that every verb takes; the program takes them before the noun. */
export function connectionFlags(): Option[] {
  return [
    new Option(
      '--url <url>',
      'management API (default: $HCA_URL, else the service that `npm start` runs here)',
    ),
    new Option(
      '--token <token>',
      'its operator token; HCA_TOKEN is safer, since a list of processes shows this (default: $HCA_TOKEN)',
    ),
    new Option('--json', 'write one JSON value and nothing else'),
  ]
}

/** Of a list. */
export const limitFlag = () => new Option('--limit <number>', 'at most this many').argParser(wholeNumber)

/** For flags that take a whole number, 0 or more. */
export function wholeNumber(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('Not a whole number.')
  return number
}

function rootOf(command: Command): Command {
  let root = command
  while (root.parent) root = root.parent
  return root
}
