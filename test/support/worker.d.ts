/** Tells `cloudflare:workers` which module's default export the tests call. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../../functions/worker.ts')
  }
}
