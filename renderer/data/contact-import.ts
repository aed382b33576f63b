import { importContacts, previewContactImport } from '../../shared/api/contact-import.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { contactsChanged } from './contacts.ts'

type PreviewInput = InputOf<typeof previewContactImport>['body']
type ImportInput = InputOf<typeof importContacts>['body']

export const previewImportRows = (body: PreviewInput) => api.call(previewContactImport, { body })

export async function importRows(body: ImportInput) {
  const result = await api.call(importContacts, { body })
  // Lists are out of date from here on, even if later parts of the file fail.
  void contactsChanged()
  return result
}
