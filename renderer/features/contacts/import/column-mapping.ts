import {
  defaultExternalSystem,
  type ImportRow,
  maxImportRows,
  sendableRow,
} from '../../../../shared/api/contact-import.ts'
import { contactRole } from '../../../../shared/api/contacts.ts'
import { contactRoleNames } from '../contact-labels.ts'
import { sourcesOf, type Target, targetNames } from './import-fields.ts'
import { type NameColumns, nameIn } from './names.ts'
import type { Sheet, SheetRow } from './sheet.ts'

export interface Mapping extends NameColumns {
  /** True if all rows go to one organization; false if a column names it. */
  isOneOrganization: boolean
  orgId: string | null
  /** For platform administrators: the partner whose organizations the column names. */
  partnerId: string | null
  /** The system that the contact ids of the file belong to. */
  system: string
}

export type TenantField = 'organization' | 'site'
/** The organization or site of a row, as the file names it. */
export interface NameToResolve {
  text: string
  /** Equal for all rows that mean the same: site names are only unique within an organization. */
  key: string
}
/** The organization or site chosen for a name, by its key; null for none. */
export type ResolvedNames = ReadonlyMap<string, string | null>

/** A row of the file, prepared for the API. */
export interface PreparedRow {
  /** From 0, counting rows that are not empty. */
  index: number
  /** Row number as in a spreadsheet. */
  number: number
  row: ImportRow
  /** The names in the cells, before any choice. */
  names: Partial<Record<TenantField, NameToResolve>>
  /** Why the row cannot be sent, worded like an error of the server. */
  problem: string | null
}

/** What is missing before rows can be previewed; null if nothing is. */
export function mappingProblem(mapping: Mapping): string | null {
  const has = (target: Target) => mapping.targets.includes(target)
  const hasIdentity = (['name', 'firstName', 'lastName', 'email', 'phone', 'mobile'] as const).some(has)
  if (mapping.isOneOrganization && !mapping.orgId) return 'Choose the organization.'
  if (!mapping.isOneOrganization && !has('organization')) return 'Choose the column with the organization.'
  if (!hasIdentity) return 'Choose the column with the name, the email address or a phone number.'
  return null
}

export const noResolvedNames: ResolvedNames = new Map()

export function rowsFrom(sheet: Sheet, mapping: Mapping, resolved = noResolvedNames): PreparedRow[] {
  const columnOf = new Map(mapping.targets.map((target, column) => [target, column]))
  return sheet.rows.map((line, index) => {
    const row = rowFrom(line, columnOf, mapping)
    const names = withResolvedIds(row, mapping, resolved)
    return { index, number: line.number, row, names, problem: problemOf(row) }
  })
}

/** Replaces names with the chosen ids. */
function withResolvedIds(
  row: ImportRow,
  { isOneOrganization }: Mapping,
  resolved: ResolvedNames,
): PreparedRow['names'] {
  const names: PreparedRow['names'] = {}
  const say = (place: TenantField, id: 'organizationId' | 'siteId', ...key: string[]) => {
    const name = { text: key.at(-1) ?? '', key: JSON.stringify(key) }
    names[place] = name
    const chosen = resolved.get(name.key)
    if (chosen === undefined) return
    row[place] = undefined
    row[id] = chosen
  }
  if (!isOneOrganization) say('organization', 'organizationId', row.organizationId ?? row.organization ?? '')
  if (row.site) say('site', 'siteId', row.organizationId ?? row.organization ?? '', row.site)
  return names
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function rowFrom({ cells }: SheetRow, columnOf: Map<Target | null, number>, mapping: Mapping): ImportRow {
  const cell = (target: Target) => cells[columnOf.get(target) ?? -1]?.trim() || undefined
  const organization = cell('organization')
  const place = mapping.isOneOrganization
    ? { organizationId: mapping.orgId }
    : organization && uuid.test(organization)
      ? { organizationId: organization }
      : { organization }
  const externalId = cell('externalId')
  const row: ImportRow = {
    ...place,
    name: nameIn(cells, mapping),
    email: cell('email'),
    phone: cell('phone'),
    mobile: cell('mobile'),
    title: cell('title'),
    notes: cell('notes'),
    roles: rolesIn(cell('roles')),
    site: cell('site'),
    externalId,
    ...(externalId && { externalSystem: mapping.system.trim() || defaultExternalSystem }),
  }
  return row
}

const normalized = (word: string) => word.toLowerCase().replace(/[\s_-]+/g, '')
const roleByWord = new Map(
  contactRole.options.flatMap((role) => [
    [normalized(role), role],
    [normalized(contactRoleNames[role]), role],
  ]),
)

/** Separated by `;` or `,`, in the words of the console or the API; unknown ones are left for the server to refuse. */
function rolesIn(text: string | undefined): string[] | undefined {
  const words = text?.split(/[;,]/).flatMap((word) => word.trim() || [])
  return words && [...new Set(words.map((word) => roleByWord.get(normalized(word)) ?? word))]
}

function problemOf(row: ImportRow): string | null {
  const issue = sendableRow.safeParse(row).error?.issues[0]
  if (!issue) return null
  const [field] = issue.path
  if (!field) return 'The chosen columns are empty.'
  const what =
    issue.code === 'too_big'
      ? field === 'roles' && issue.path.length === 1
        ? `more than ${issue.maximum} roles`
        : `longer than ${issue.maximum} characters`
      : 'not an email address'
  return `${String(field)}: ${what}`
}

/** The column type that an error is about (the first, if a field is made of several); null if it is about none. */
export function fieldIn(reason: string): Target | null {
  const field = /^(\w+): /.exec(reason)?.[1] ?? ''
  const target = (sourcesOf[field as keyof ImportRow]?.[0] ?? field) as Target
  return Object.hasOwn(targetNames, target) ? target : null
}

/** Index of the column that a field is taken from; -1 if from none. */
export function columnFor(target: Target, { targets, isOneOrganization }: Mapping): number {
  if (target === 'organization' && isOneOrganization) return -1
  const sources = sourcesOf[target as keyof ImportRow] ?? [target]
  return targets.findIndex((one) => one && sources.includes(one))
}

/** Replaces the field names in an error of the server with the file's column names. */
export function columnReason(reason: string, { columns }: Sheet, mapping: Mapping): string {
  const target = fieldIn(reason)
  if (!target) return reason
  // The server's advice to programs is left out: users choose from a list.
  const what = reason.replace(/^\w+: /, '').replace(/; use \w+Id$/, '')
  const column = columnFor(target, mapping)
  return column === -1 ? `${targetNames[target]}: ${what}` : `Column “${columns[column]}”: ${what}`
}

const maxCharacters = 1_000_000

/** The first rows, as many as one request takes. */
export function firstBatch(rows: readonly PreparedRow[]): PreparedRow[] {
  let characters = 0
  const end = rows.findIndex(({ row }, index) => {
    characters += JSON.stringify(row).length
    return index > 0 && (index >= maxImportRows || characters > maxCharacters)
  })
  return rows.slice(0, end === -1 ? rows.length : end)
}
