import { fieldLines } from '../output.ts'
import { call } from './calls.ts'

export const SWEEP = call({
  usage: 'sweep',
  description: 'run the hourly sweep now, for example after manual SQL',
  route: 'POST /sweep',
  text: fieldLines,
  complete: (swept) => !Object.values(swept).includes(null),
})
