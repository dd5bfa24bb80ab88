import type { qualityBands } from '../../../src/db/schema.ts'

export const BAND_NAMES: Readonly<Record<(typeof qualityBands)[number] | 'none', string>> = {
  premium: 'Premium',
  standard: 'Standard',
  review: 'Review',
  none: 'Not checked',
}
