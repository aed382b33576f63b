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
  /** Other names of some keys, and what they are called here. */
  aliases?: Readonly<Record<string, string>>
  /**
   * The details as they are stored: known keys under one name, addresses in one form.
   * @throws AppError `validation_failed` that names the field
   */
  normalize: (details: Details) => Details
  /** The host that holds it; left out where it is no other. */
  host?: (details: Details) => string
  /** Who gets the secrets; an empty text where it is always the same. A stored secret is for it alone. */
  receiver: (details: Details) => string
  /**
   * Where restic finds the repository `subPath` there; null where only the appliance itself can say.
   * @param address of the host, where it was looked up before
   */
  target: (details: Details, subPath: string, address?: string) => ResticTarget | null
}
