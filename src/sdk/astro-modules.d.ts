/** The part of Astro's types that the loader uses. Astro is installed only where the loader runs; its tests check these. */
declare module 'astro/loaders' {
  type Entry = {
    id: string
    data: Record<string, unknown>
    rendered: { html: string }
    digest: string
  }
  export type LoaderContext = {
    store: { keys(): string[]; set(entry: Entry): boolean; delete(id: string): void }
    meta: { get(key: string): string | undefined; set(key: string, value: string): void }
    logger: { info(message: string): void }
    parseData<Data extends Record<string, unknown>>(entry: { id: string; data: Data }): Promise<Data>
  }
  export type Loader = {
    name: string
    load(context: LoaderContext): Promise<void>
    createSchema(): Promise<{ schema: unknown; types: string }>
  }
}

declare module 'astro/zod' {
  export { z } from 'zod'
}
