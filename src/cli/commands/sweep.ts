import type { Command } from 'commander'
import { verb } from '../command.ts'
import type { Io } from '../io.ts'
import { fieldLines } from '../output.ts'

/** Adds `sweep`. */
export function addSweep(program: Command, io: Io): void {
  verb(io, program, 'sweep', 'run the hourly sweep now, as after SQL by hand', async (api) => {
    const swept = await api<Record<string, number | null>>('POST', '/sweep')
    return { json: swept, text: fieldLines(swept), complete: !Object.values(swept).includes(null) }
  })
}
