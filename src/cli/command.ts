/** Shared by all commands: the connection, --json, and output of results. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { joinIssues } from '../core/errors.ts'
import type { Api } from '../transfer/api.ts'
import { Failure } from '../transfer/failure.ts'
import { apiOf, connection } from './client.ts'
import type { Io } from './io.ts'
import { writeJson, writePieces, writeText } from './output.ts'

/** `pieces` streams a result that may be too long for one string. `complete: false` sets the exit code to failure. */
export type Result = ({ json: unknown; text: string } | { pieces: Pieces }) & { complete?: boolean }

type Pieces = (asJson: boolean) => AsyncIterable<string>

/** Ends a run whose result is written but incomplete. */
export class Incomplete extends Error {}

type Flags = { url?: string; token?: string; json?: boolean }

export type Verb = {
  usage: string
  description: string
  flags?: Option[]
  // biome-ignore lint/suspicious/noExplicitAny: each verb knows the types of its flags
  work: (io: Io, api: Api, args: string[], flags: any) => Promise<Result>
}

export type Noun = { name: string; description: string; verbs: Verb[] }

export function add(program: Command, io: Io, command: Noun | Verb): void {
  if ('verbs' in command) {
    const noun = program.command(command.name).description(command.description)
    for (const verb of command.verbs) addVerb(noun, io, verb)
  } else addVerb(program, io, command)
}

/** If a verb has its own --url flag, the API's --url goes before the noun. */
function addVerb(noun: Command, io: Io, { usage, description, flags = [], work }: Verb): void {
  const command = noun.command(usage).description(description)
  const ownUrl = flags.some((flag) => flag.long === '--url')
  for (const flag of [...flags, ...connectionFlags()]) {
    if (flag.long !== '--url' || !ownUrl || flags.includes(flag)) command.addOption(flag)
  }
  if (ownUrl) {
    command.addHelpText(
      'after',
      "\nPut the management API's --url before the noun here: admin --url … webhook set …",
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
    const givenFlags = Object.fromEntries(Object.entries(command.opts()).filter(isOwn))
    const result = await work(io, api, command.args, givenFlags).catch((error: Error) => {
      throw error instanceof Failure ? inFlags(command, error) : error
    })
    const asJson = own.json ?? general.json ?? false
    if ('pieces' in result) await writePieces(io, result.pieces(asJson), asJson)
    else if (asJson) writeJson(io, result.json)
    else writeText(io, result.text)
    if (result.complete === false) throw new Incomplete()
  })
}

/** Replaces field names in a refusal by the flags that set them. */
function inFlags(command: Command, failure: Failure): Failure {
  const flagOf = (path: string) => command.options.find((flag) => flag.attributeName() === path)?.long ?? path
  if (failure.issues.every(({ path }) => flagOf(path) === path)) return failure
  const issues = failure.issues.map(({ path, message }) => ({ path: flagOf(path), message }))
  return new Failure(joinIssues(issues), failure.status, issues)
}

/** Every verb takes these flags, and the program takes them before the noun. */
export function connectionFlags(): Option[] {
  return [
    new Option(
      '--url <url>',
      'management API (default: $HCA_URL, or the service that `npm start` runs here)',
    ),
    new Option(
      '--token <token>',
      'operator token; HCA_TOKEN is safer, since process lists show flags (default: $HCA_TOKEN)',
    ),
    new Option('--json', 'print only one JSON value'),
  ]
}

export const limitFlag = () => new Option('--limit <number>', 'maximum number').argParser(wholeNumber)

export function wholeNumber(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('Must be a whole number.')
  return number
}

function rootOf(command: Command): Command {
  let root = command
  while (root.parent) root = root.parent
  return root
}
