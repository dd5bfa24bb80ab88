import type { Overview } from '../../../src/cli/import/report.ts'
import type { UploadOptions } from '../../../src/cli/upload/source.ts'
import type { Report } from '../../../src/transfer/report.ts'

export type ImportOptions = Omit<UploadOptions, 'dryRun'> & { sendEvents: boolean }

type Put = Parameters<Report['put']>[0][number]

/** After a check, it lists the first articles, too. */
export type ImportReport = Overview & { articles: Pick<Put, 'file' | 'kind' | 'slug' | 'outcome'>[] }
