import { guides } from '../../db/schema.ts'
import { articleFields } from '../articles/shared-fields.ts'

export const GUIDE_FIELDS = articleFields(guides)
