/** The part of Lua's C API (https://www.lua.org/manual/5.3/manual.html#4) that src/local/redis-lua.ts uses. */
declare module 'fengari' {
  type State = { readonly state: unique symbol }
  const fengari: {
    to_luastring(text: string): Uint8Array
    lua: {
      LUA_OK: number
      LUA_YIELD: number
      LUA_TNIL: number
      LUA_TBOOLEAN: number
      LUA_TNUMBER: number
      LUA_TSTRING: number
      LUA_TTABLE: number
      lua_call(L: State, parameters: number, results: number): void
      lua_createtable(L: State, length: number, fields: number): void
      lua_getfield(L: State, at: number, name: Uint8Array): number
      lua_gettop(L: State): number
      lua_newthread(L: State): State
      lua_pop(L: State, count: number): void
      lua_pushboolean(L: State, value: boolean): void
      lua_pushglobaltable(L: State): void
      lua_pushnumber(L: State, value: number): void
      lua_pushstring(L: State, value: Uint8Array): void
      lua_pushvalue(L: State, at: number): void
      lua_rawgeti(L: State, at: number, index: number): number
      lua_rawseti(L: State, at: number, index: number): void
      lua_resume(L: State, from: State, parameters: number): number
      lua_setfield(L: State, at: number, name: Uint8Array): void
      lua_setmetatable(L: State, at: number): void
      lua_settop(L: State, top: number): void
      lua_setupvalue(L: State, at: number, index: number): void
      lua_toboolean(L: State, at: number): boolean
      lua_tonumber(L: State, at: number): number
      lua_tostring(L: State, at: number): Uint8Array
      lua_xmove(from: State, to: State, count: number): void
      lua_type(L: State, at: number): number
    }
    lauxlib: {
      luaL_loadbuffer(L: State, code: Uint8Array, length: number, name: Uint8Array): number
      luaL_newstate(): State
      luaL_requiref(L: State, name: Uint8Array, open: unknown, global: number): void
    }
    lualib: Record<`luaopen_${'base' | 'coroutine' | 'math' | 'string' | 'table'}`, unknown>
  }
  export default fengari
}
