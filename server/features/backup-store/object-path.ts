import { join } from 'node:path'

/** What a restic repository consists of, beside its `config`. */
export const objectKinds = ['data', 'index', 'keys', 'locks', 'snapshots'] as const
export type ObjectKind = (typeof objectKinds)[number]

/** A file of a repository. The names of objects are the SHA-256 of their content, in hex. */
export type StoredObject = { kind: 'config' } | { kind: ObjectKind; name: string }

const objectName = /^[0-9a-f]{64}$/
const repositoryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isObjectKind = (text: string): text is ObjectKind => objectKinds.some((kind) => kind === text)
export const isRepositoryId = (text: string): boolean => repositoryId.test(text)
export const isObjectName = (text: string): boolean => objectName.test(text)

/** Packs lie in 256 folders, so that none gets too large; the layout is that of restic's local backend. */
export function folderOf(repository: string, object: StoredObject): string {
  if (object.kind === 'config') return repository
  return object.kind === 'data' ? join(repository, 'data', object.name.slice(0, 2)) : join(repository, object.kind)
}

export const fileOf = (repository: string, object: StoredObject): string =>
  join(folderOf(repository, object), object.kind === 'config' ? 'config' : object.name)

/** The folders of an empty repository. */
export const foldersOf = (repository: string): string[] => [
  ...objectKinds.map((kind) => join(repository, kind)),
  ...Array.from({ length: 256 }, (_, n) => join(repository, 'data', n.toString(16).padStart(2, '0'))),
]
