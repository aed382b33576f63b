import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { isObject } from '../../../shared/objects.ts'
import { kindNames, kindOf, type StorageKind } from '../../domain/backup-storage/storage-kinds.ts'
import { type StorageField, storageFields } from './storage-fields.ts'

/** A storage as it is typed in. */
export interface StorageDraft {
  kind: StorageKind
  name: string
  isDefault: boolean
  details: Record<string, string>
  /** Stored secrets that get another value. */
  replaced: string[]
}

/** The appliance first, until it is among the storages. */
export const newDraft = (others: readonly BackupConfig[]): StorageDraft => ({
  kind: others.some((one) => kindOf(one) === 'appliance') ? 's3' : 'appliance',
  name: '',
  isDefault: others.length === 0,
  details: {},
  replaced: [],
})

export function draftOf(storage: BackupConfig): StorageDraft {
  const kind = kindOf(storage)
  const typed = storageFields[kind].flatMap(({ key, isSecret }) => {
    const value = storage.details[key]
    return isSecret || value === undefined || value === null ? [] : [[key, String(value)]]
  })
  return {
    kind,
    name: storage.name,
    isDefault: storage.isDefault,
    details: Object.fromEntries(typed),
    replaced: [],
  }
}

/** Whether a secret is stored; it is never shown. */
export const isStored = (storage: BackupConfig | undefined, key: string): boolean => {
  const mark = storage?.details[key]
  return isObject(mark) && mark.hasSecret === true
}

/** The name, or what the kind is called. */
export const nameOf = ({ name, kind }: Pick<StorageDraft, 'name' | 'kind'>): string =>
  name.trim() || (kind === 'appliance' ? 'Appliance' : kindNames[kind])

/** Fields that have to be filled in and are not. */
export function missingFields(draft: StorageDraft, storage: BackupConfig | undefined): StorageField[] {
  const isKept = ({ key }: StorageField) => isStored(storage, key) && !draft.replaced.includes(key)
  return storageFields[draft.kind].filter(
    (field) => !field.isOptional && !isKept(field) && !draft.details[field.key]?.trim(),
  )
}

/** What is sent: a secret that stays is left out, and an optional field that was emptied is taken away. */
export function detailsOf(draft: StorageDraft, storage: BackupConfig | undefined): Record<string, unknown> {
  const { kind, details, replaced } = draft
  const fields = storageFields[kind].flatMap(({ key, isNumber }): [string, unknown][] => {
    const text = details[key]?.trim() ?? ''
    if (isStored(storage, key) && !replaced.includes(key)) return []
    if (text !== '') return [[key, isNumber ? Number(text) : text]]
    return storage && storage.details[key] !== undefined ? [[key, null]] : []
  })
  const location = kind === 'appliance' ? 'appliance' : kind === 'folder' ? 'device' : undefined
  return { ...(location && { location }), ...Object.fromEntries(fields) }
}
