/**
 * Gives failures the lines of the files. Vitest appends the source map to the code, and the Worker's pool passes both on as
 * code (@cloudflare/vitest-plugin 1.5.0), so that the map is not found.
 */
const SEPARATOR = '\n//# vitestSourceMap='

type Module = { meta?: { code?: string; sourceMap?: string } }
type Modules = {
  getModuleById(id: string): Module | undefined
  getModuleSourceMapById(id: string): unknown
}

const worker = globalThis as unknown as { __vitest_worker__: { evaluatedModules: Modules } }
const prototype = Object.getPrototypeOf(worker.__vitest_worker__.evaluatedModules) as Modules
const find = prototype.getModuleSourceMapById

prototype.getModuleSourceMapById = function (id) {
  const meta = this.getModuleById(id)?.meta
  const map = meta?.code?.split(SEPARATOR)[1]
  if (meta && map) meta.sourceMap ??= map
  return find.call(this, id)
}
