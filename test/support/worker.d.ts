/** Tells `cloudflare:workers` which module's default export the tests call. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../../functions/worker.ts')
  }
}

/** Files imported as text. */
declare module '*?raw' {
  const text: string
  export default text
}
