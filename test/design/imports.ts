/** `npm run imports`: the layers of imports, and other rules for all sources. Prints each line that breaks one, and fails. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, normalize } from 'node:path'

/** The parts of the Worker. Each imports only itself and later parts. */
const LADDER = [
  'functions',
  // Importers; the console uses those of files.
  'src/cli',
  // Imports and exports through the management API; shared by the command line and the console.
  'src/transfer',
  'src/jobs.ts',
  'src/content',
  'src/sites',
  'src/alerts',
  'src/webhooks',
  'src/access',
  'src/people',
  'src/freshness',
  'src/context.ts',
  'src/queue-message.ts',
  'src/caches.ts',
  'src/db',
  'src/crypto',
  'src/cache',
  // Markdown to the HTML of a body, and back.
  'src/convert',
  'src/html',
  'src/core',
]

/** Folders that the service and its tools share. */
const SHARED = ['src/content/model', 'src/convert', 'src/html', 'src/core']

/** Parts that may import less than the layers allow, or are not in them: only themselves and the listed ones. */
const PARTS: Record<string, string[]> = {
  // Front ends never import each other.
  'functions/http': ['src'],
  'functions/api': ['functions/http', 'src'],
  'functions/manage': ['functions/http', 'src'],
  'functions/mcp': ['functions/http', 'src'],
  'functions/console': ['functions/http', 'src'],
  // The sources of uploaded files, in a Worker.
  'src/cli/upload': ['src/cli', 'src/transfer', ...SHARED],
  // The command line is a client of the management API.
  'src/cli': ['src/transfer', ...SHARED, 'src/webhooks/bot-checks.ts'],
  // Sources do not borrow from each other.
  'src/cli/ghost': ['src/cli/*', 'src/cli/import', 'src/transfer', ...SHARED, 'src/webhooks/bot-checks.ts'],
  'src/cli/markdown': [
    'src/cli/*',
    'src/cli/import',
    'src/transfer',
    ...SHARED,
    'src/webhooks/bot-checks.ts',
  ],
  'src/cli/wordpress': [
    'src/cli/*',
    'src/cli/import',
    'src/transfer',
    ...SHARED,
    'src/webhooks/bot-checks.ts',
  ],
  // Names and addresses, for the service and for the tools that write to it.
  'src/content/model': ['src/html', 'src/core'],
  'src/local': ['src/core', 'src/cache', 'drizzle'],
  // The npm package has nothing of the service.
  'src/sdk': [],
}

/** Files that must not import matching modules. */
const NEVER: [files: string, modules: RegExp][] = [
  // Only functions know HTTP.
  ['src/**/*.ts', /^@?hono\b/],
  // Workers have no Node.
  [
    '{functions,src/{transfer,content,sites,alerts,webhooks,access,people,freshness,db,crypto,cache,convert,html,core}}/**/*.{ts,tsx}',
    /^node:/,
  ],
  ['src/{jobs,context,queue-message,caches}.ts', /^node:/],
  // The client runs anywhere except for its disk stores, and the receiver's kit imports only the types of its payloads.
  ['src/sdk/{astro,client}.ts', /^node:|\/(folder|lock|sqlite)\.ts$/],
  ['src/sdk/client/{error,etags,follow,names,operations,pages,store,sync,transport,types,wait}.ts', /^node:/],
  ['src/sdk/webhooks{,/payloads}.ts', /^(?!src\/sdk\/webhooks\/payloads)/],
  // Routes get the access of a key only from serveRead or requireKey, which confirm it. Published sitemaps need no key.
  ['functions/api/!(sitemaps).ts', /src\/access\/(admission|credentials|keys)\.ts$/],
]

/** Files that must not contain a match. */
const WITHOUT: [files: string, text: RegExp, why: string][] = [
  [
    '{functions,src/!(cli|local)/**}/*.{ts,tsx}',
    /\bprocess\.env\b/,
    'only the configuration reads the environment',
  ],
]

const MAX_LINES = 300
/** A newcomer can take in no more at a glance. */
const MAX_FILES = 28
/** Exceptions: every table on one page, and generated files. */
const LONG = ['src/db/schema.ts', 'src/sdk/client/openapi.ts', 'src/transfer/openapi.ts']

const files = globSync(['functions/**/*.{ts,tsx}', 'src/**/*.ts'], { exclude: ['src/sdk/dist'] })
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const problems: string[] = []

const isIn = (part: string) => (file: string) =>
  part.endsWith('/*') ? dirname(file) === part.slice(0, -2) : file === part || file.startsWith(`${part}/`)
const isOurs = (module: string) => /^(functions|src|drizzle|test|docs)\//.test(module)

function importsOf(file: string): string[] {
  return [...text.get(file)!.matchAll(/\b(?:from|import) ?\(?'([^']+)'/g)].map(([, module]) =>
    module!.startsWith('.') ? normalize(`${dirname(file)}/${module}`) : module!,
  )
}

for (const file of files) {
  const rung = LADDER.findIndex((part) => isIn(part)(file))
  const parts = Object.keys(PARTS).filter((part) => isIn(part)(file))
  for (const module of importsOf(file).filter(isOurs)) {
    const isUpward = rung >= 0 && !LADDER.slice(rung).some((part) => isIn(part)(module))
    const isForeign = parts.some((part) => ![part, ...PARTS[part]!].some((each) => isIn(each)(module)))
    if (isUpward || isForeign) problems.push(`${file} → ${module}: imports go downward`)
  }
  if (rung < 0 && parts.length === 0) problems.push(`${file}: in no part`)
  const lines = text.get(file)!.split('\n').length - 1
  if (lines > MAX_LINES && !LONG.includes(file))
    problems.push(`${file}: ${lines} lines, at most ${MAX_LINES}`)
}
for (const folder of new Set(files.map((file) => dirname(file)))) {
  const count = files.filter((file) => dirname(file) === folder).length
  if (count > MAX_FILES) problems.push(`${folder}: ${count} files, at most ${MAX_FILES}`)
}

const nextOf = new Map(files.map((file) => [file, importsOf(file).filter((module) => text.has(module))]))
const seen = new Set<string>()

/** Names the cycle of imports, also of types, that a walk returns to. */
function findCircle(file: string, path: string[]): void {
  const start = path.indexOf(file)
  if (start >= 0) problems.push(`${[...path.slice(start), file].join(' → ')}: a circle`)
  if (seen.has(file)) return
  seen.add(file)
  for (const next of nextOf.get(file)!) findCircle(next, [...path, file])
}
for (const file of files) findCircle(file, [])

for (const [pattern, modules] of NEVER) {
  for (const file of matching(pattern))
    for (const module of importsOf(file).filter((each) => modules.test(each)))
      problems.push(`${file} → ${module}: never`)
}
for (const [pattern, wrong, why] of WITHOUT) {
  for (const file of matching(pattern)) if (wrong.test(text.get(file)!)) problems.push(`${file}: ${why}`)
}

/** A pattern that matches nothing guards nothing. */
function matching(pattern: string): string[] {
  const found = globSync(pattern).filter((file) => text.has(file))
  if (found.length === 0) problems.push(`${pattern}: matches no file`)
  return found
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${files.length} files: imports go downward`)
