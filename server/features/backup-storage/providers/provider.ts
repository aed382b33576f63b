import type { Details } from '../secrets-of-details.ts'

/** What restic is told about a place: nothing of it goes on its command line but the options. */
export interface ResticTarget {
  /** The repository, which may carry credentials. */
  url: string
  env: Record<string, string>
  /** For `-o`, without secrets. */
  options: string[]
  /** Files it needs beside, by the name that `env` and `options` use for their path in braces. */
  files?: Record<string, string>
}

export interface StorageProvider {
  /**
   * The details as they are stored: known keys under one name, addresses in one form.
   * @throws AppError `validation_failed` that names the field
   */
  normalize: (details: Details) => Details
  /** Where restic finds the repository `subPath` there; null where only the appliance itself can say. */
  target: (details: Details, subPath: string) => ResticTarget | null
}
