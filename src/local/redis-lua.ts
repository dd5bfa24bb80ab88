/** Lua as in Redis (https://redis.io/docs/latest/develop/programmability/lua-api/). Scripts yield their commands. */
/// <reference path="./fengari.d.ts" />
import './lua-numbers.ts'
import { isUtf8 } from 'node:buffer'
import { hasFlag } from '@ioredis/commands'
import fengari from 'fengari'
import { LruCache } from '../cache/lru-cache.ts'
import type { Outcome, Reply } from './redis-session.ts'

const { lua, lauxlib, lualib, to_luastring: bytes } = fengari
type State = ReturnType<typeof lauxlib.luaL_newstate>

export type Argument = string | Buffer

const MIB = 1024 * 1024
const STATE_BYTES = MIB / 8

// Floating-point numbers, as in Redis's Lua 5.1: fengari's integers have 32 bits and overflow silently.
const PRELUDE = `
local ask, fail, kind, number, floor, ceil = coroutine.yield, error, type, tonumber, math.floor, math.ceil
coroutine, dofile, loadfile, print = nil
function tonumber(...)
  local n = number(...)
  return n and n + 0.0
end
function math.floor(n) return floor(n) + 0.0 end
function math.ceil(n) return ceil(n) + 0.0 end
unpack = table.unpack
redis = { pcall = ask, log = function() end, LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3 }
function redis.call(...)
  local reply = ask(...)
  if kind(reply) == 'table' and reply.err then fail(reply) end
  return reply
end
function redis.error_reply(text) return { err = text } end
function redis.status_reply(text) return { ok = text } end
`

/** Compiled idle scripts, each at the bottom of its state's stack: compiling takes far longer than running. */
const compiled = new LruCache<State>(8 * MIB, () => STATE_BYTES)

/** Redis's error for a script that cannot run; null if it can. */
export function scriptFault(script: string): string | null {
  const { code, fault } = withoutShebang(script)
  return fault ?? compile(newState(), code)
}

/** @param readOnly refuses commands that write, like the script flag `no-writes` */
export async function runScript(
  { script, keys, args, readOnly }: { script: string; keys: Argument[]; args: Argument[]; readOnly: boolean },
  call: (command: Argument[]) => Promise<Outcome>,
): Promise<Outcome> {
  const { code, fault, flags } = withoutShebang(script)
  if (fault) return { error: fault }
  const main = compiled.get(code) ?? newState()
  if (lua.lua_gettop(main) === 0) {
    const broken = compile(main, code)
    if (broken) return { error: broken }
  }
  compiled.delete(code)
  const L = lua.lua_newthread(main)
  lua.lua_pushvalue(main, 1)
  lua.lua_xmove(main, L, 1)
  setGlobals(L, { KEYS: keys, ARGV: args })
  const mayWrite = !readOnly && !flags.includes('no-writes')
  let status = lua.lua_resume(L, main, 0)
  while (status === lua.LUA_YIELD) {
    const command = commandOnStack(L)
    lua.lua_settop(L, 0)
    const outcome = 'error' in command ? command : (refusal(command, mayWrite) ?? (await call(command)))
    push(L, outcome, STATUS_COMMANDS.has(nameOf(command)))
    status = lua.lua_resume(L, main, 1)
  }
  const outcome = status === lua.LUA_OK ? resultOf(L) : failureOf(L, main)
  lua.lua_settop(main, 1)
  compiled.set(code, main)
  return outcome
}

function resultOf(L: State): Outcome {
  return lua.lua_gettop(L) === 0 ? { result: null } : resultAt(L, 1)
}

function failureOf(L: State, main: State): Outcome {
  lua.lua_xmove(L, main, 1)
  return { error: errorOnStack(main) }
}

/** Gives the function on the stack its own globals, on top of the state's. */
function setGlobals(L: State, values: Record<string, Argument[]>): void {
  lua.lua_createtable(L, 0, 2)
  for (const [name, each] of Object.entries(values)) {
    pushReply(L, each)
    lua.lua_setfield(L, -2, bytes(name))
  }
  lua.lua_createtable(L, 0, 1)
  lua.lua_pushglobaltable(L)
  lua.lua_setfield(L, -2, bytes('__index'))
  lua.lua_setmetatable(L, -2)
  // `_ENV`, the only upvalue of a script (https://www.lua.org/manual/5.3/manual.html#2.2).
  lua.lua_setupvalue(L, -2, 1)
}

const KNOWN_FLAGS = ['no-writes', 'allow-oom', 'allow-stale', 'no-cluster', 'allow-cross-slot-keys']

// Keeps the line break, so that errors have the script's line numbers.
function withoutShebang(script: string): { code: string; fault: string | null; flags: string[] } {
  const [line = '', engine, list = ''] = /^#!(\S*)(?: flags=(\S*))?[^\n]*/.exec(script) ?? []
  const flags = list.split(',').filter(Boolean)
  const unknown = flags.find((flag) => !KNOWN_FLAGS.includes(flag))
  const code = script.slice(line.length)
  if (line && engine !== 'lua')
    return { code, flags, fault: `ERR Unexpected engine in script shebang: ${engine}` }
  return { code, flags, fault: unknown ? `ERR Unexpected flag in script shebang: ${unknown}` : null }
}

function newState(): State {
  const L = lauxlib.luaL_newstate()
  for (const library of ['base', 'coroutine', 'math', 'string', 'table'] as const) {
    const name = library === 'base' ? '_G' : library
    lauxlib.luaL_requiref(L, bytes(name), lualib[`luaopen_${library}`], 1)
  }
  lua.lua_settop(L, 0)
  compile(L, PRELUDE)
  lua.lua_call(L, 0, 0)
  return L
}

function compile(L: State, code: string): string | null {
  const source = bytes(code)
  if (lauxlib.luaL_loadbuffer(L, source, source.length, bytes('@user_script')) === lua.LUA_OK) return null
  return `ERR Error compiling script (new function): ${stringAt(L, -1)}`
}

function commandOnStack(L: State): Argument[] | { error: string } {
  const types = Array.from({ length: lua.lua_gettop(L) }, (_, i) => lua.lua_type(L, i + 1))
  if (types.length === 0)
    return { error: 'ERR Please specify at least one argument for this redis.call() call' }
  if (types.some((type) => type !== lua.LUA_TSTRING && type !== lua.LUA_TNUMBER)) {
    return { error: 'ERR Lua redis lib command arguments must be strings or integers' }
  }
  return types.map((type, i) =>
    type === lua.LUA_TNUMBER ? String(lua.lua_tonumber(L, i + 1)) : stringAt(L, i + 1),
  )
}

function refusal(command: Argument[], mayWrite: boolean): Outcome | null {
  const name = nameOf(command)
  if (hasFlagOf(name, 'noscript')) return { error: 'ERR This Redis command is not allowed from script' }
  if (!mayWrite && hasFlagOf(name, 'write')) {
    return { error: 'ERR Write commands are not allowed from read-only scripts.' }
  }
  return null
}

function nameOf(command: Argument[] | { error: string }): string {
  return 'error' in command ? '' : String(command[0]).toLowerCase()
}

function hasFlagOf(name: string, flag: string): boolean {
  try {
    return hasFlag(name, flag)
  } catch {
    return false
  }
}

// The mock returns `OK` for a status and for a value; in Lua they differ.
const STATUS_COMMANDS = new Set('flushall flushdb hmset lset ltrim mset psetex rename set setex'.split(' '))

function push(L: State, outcome: Outcome, isStatus: boolean): void {
  if ('error' in outcome) pushField(L, 'err', outcome.error)
  else if (isStatus && String(outcome.result) === 'OK') pushField(L, 'ok', 'OK')
  else pushReply(L, outcome.result)
}

function pushField(L: State, name: string, value: string): void {
  lua.lua_createtable(L, 0, 1)
  lua.lua_pushstring(L, bytes(value))
  lua.lua_setfield(L, -2, bytes(name))
}

function pushReply(L: State, reply: Reply): void {
  if (Array.isArray(reply)) {
    lua.lua_createtable(L, reply.length, 0)
    for (const [i, each] of reply.entries()) {
      pushReply(L, each)
      lua.lua_rawseti(L, -2, i + 1)
    }
  } else if (reply === null) lua.lua_pushboolean(L, false)
  else if (typeof reply === 'number') lua.lua_pushnumber(L, reply)
  else lua.lua_pushstring(L, Buffer.from(reply as Argument))
}

function resultAt(L: State, at: number): Outcome {
  if (lua.lua_type(L, at) === lua.LUA_TTABLE) {
    const error = fieldAt(L, at, 'err')
    if (error !== null) return { error: withCode(String(error)) }
    const status = fieldAt(L, at, 'ok')
    if (status !== null) return { result: status }
  }
  return { result: replyAt(L, at) }
}

function replyAt(L: State, at: number): Reply {
  switch (lua.lua_type(L, at)) {
    case lua.LUA_TSTRING:
      return stringAt(L, at)
    case lua.LUA_TNUMBER:
      return Math.trunc(lua.lua_tonumber(L, at))
    case lua.LUA_TBOOLEAN:
      return lua.lua_toboolean(L, at) ? 1 : null
    case lua.LUA_TTABLE:
      return repliesAt(L, at)
    default:
      return null
  }
}

// A list ends at its first nil.
function repliesAt(L: State, at: number): Reply[] {
  const replies: Reply[] = []
  for (;;) {
    const type = lua.lua_rawgeti(L, at, replies.length + 1)
    const outcome = type === lua.LUA_TNIL ? null : resultAt(L, lua.lua_gettop(L))
    lua.lua_pop(L, 1)
    if (!outcome) return replies
    replies.push('error' in outcome ? outcome.error : outcome.result)
  }
}

function errorOnStack(L: State): string {
  if (lua.lua_type(L, -1) === lua.LUA_TTABLE) return withCode(String(fieldAt(L, lua.lua_gettop(L), 'err')))
  return withCode(String(stringAt(L, -1)))
}

function withCode(message: string): string {
  return /^[A-Z]+ /.test(message) ? message : `ERR ${message}`
}

function fieldAt(L: State, at: number, name: string): Argument | null {
  const type = lua.lua_getfield(L, at, bytes(name))
  const value = type === lua.LUA_TSTRING ? stringAt(L, -1) : null
  lua.lua_pop(L, 1)
  return value
}

function stringAt(L: State, at: number): Argument {
  const value = Buffer.from(lua.lua_tostring(L, at))
  return isUtf8(value) ? value.toString() : value
}
