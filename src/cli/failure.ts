/** A failure with one clear line for the operator. `status` is the API's answer, when it gave one. */
export class Failure extends Error {
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'Failure'
    this.status = status
  }
}
