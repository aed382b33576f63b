import type { Destinations } from '../../platform/outbound/index.ts'
import { fetching } from './guarded-fetch.ts'
import { joined, textOf } from './providers/fields.ts'
import { bucketUrl } from './providers/s3.ts'
import type { RepositoryRow } from './repositories.ts'
import { S3Bucket } from './s3/bucket.ts'
import type { Details } from './secrets-of-details.ts'

/** The bucket of a storage, for as long as `work` needs it. */
export const openBucket = <T>(
  destinations: Destinations,
  details: Details,
  signal: AbortSignal,
  work: (bucket: S3Bucket) => Promise<T>,
): Promise<T> => fetching(destinations, details, (fetch) => work(new S3Bucket(details, fetch, signal)))

/** What the names of all objects of a repository begin with. */
export const prefixOf = (details: Details, { sub_path }: Pick<RepositoryRow, 'sub_path'>): string =>
  `${joined(textOf(details, 'prefix') ?? '', sub_path)}/`

/** Where a repository lies; without secrets. */
export const placeOf = (details: Details, repository: Pick<RepositoryRow, 'sub_path'>): string =>
  `${bucketUrl(details).href}#${prefixOf(details, repository)}`
