import { defaultExternalSystem, type ImportRow } from '../../../../shared/api/contact-import.ts'

/** A row as it is meant: cells trimmed, blank ones null. */
export interface ParsedRow {
  name: string | null
  email: string | null
  phone: string | null
  mobile: string | null
  title: string | null
  notes: string | null
  roles: string[]
  organizationId: string | null
  organization: string | null
  siteId: string | null
  site: string | null
  externalId: string | null
  externalSystem: string
}

/** A spreadsheet's cell may hold line breaks; a contact is one line of each, except for the notes. */
const cell = (text: string | null | undefined): string | null => text?.replace(/\p{Cc}+/gu, ' ').trim() || null

const lines = (text: string | null | undefined): string | null =>
  text
    ?.replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]+/gu, ' ')
    .trim() || null

export const parseRow = (row: ImportRow): ParsedRow => ({
  name: cell(row.name),
  email: cell(row.email)?.toLowerCase() ?? null,
  phone: cell(row.phone),
  mobile: cell(row.mobile),
  title: cell(row.title),
  notes: lines(row.notes),
  roles: (row.roles ?? []).map((word) => word.trim()).filter(Boolean),
  organizationId: cell(row.organizationId)?.toLowerCase() ?? null,
  organization: cell(row.organization),
  siteId: cell(row.siteId)?.toLowerCase() ?? null,
  site: cell(row.site),
  externalId: cell(row.externalId),
  externalSystem: cell(row.externalSystem) ?? defaultExternalSystem,
})
