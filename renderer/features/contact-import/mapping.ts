import {
  defaultExternalSystem,
  type ImportRow,
  maxImportRows,
  sendableRow,
} from '../../../shared/api/contact-import.ts'
import { contactRole } from '../../../shared/api/contacts.ts'
import { contactRoleWords } from '../organizations/contact-words.ts'
import { sourcesOf, type Target, targetWords } from './fields.ts'
import type { Sheet, SheetRow } from './sheet.ts'

export interface Mapping {
  /** For each column of the file. */
  targets: (Target | null)[]
  /** One for all rows; null when a column names it. */
  isOneOrganization: boolean
  orgId: string | null
  /** Whose organizations a column names, for who runs the platform. */
  partnerId: string | null
  /** What the ids of the file are ids of. */
  system: string
}

/** A row of the file as it is sent. */
export interface PreparedRow {
  /** From 0, among the rows of the file that are not empty. */
  index: number
  /** As spreadsheets count. */
  number: number
  row: ImportRow
  /** Why it can not even be sent. */
  problem: string | null
}

/** What is still missing before the rows can be looked at. */
export function mappingProblem(mapping: Mapping): string | null {
  const has = (target: Target) => mapping.targets.includes(target)
  const hasIdentity = (['name', 'firstName', 'lastName', 'email', 'phone', 'mobile'] as const).some(has)
  if (mapping.isOneOrganization && !mapping.orgId) return 'Choose the organization.'
  if (!mapping.isOneOrganization && !has('organization')) return 'Say which column names the organization.'
  if (!hasIdentity) return 'Say which column holds the name, the e-mail address or a phone number.'
  return null
}

export function rowsFrom(sheet: Sheet, mapping: Mapping): PreparedRow[] {
  const columnOf = new Map(mapping.targets.map((target, column) => [target, column]))
  return sheet.rows.map((line, index) => {
    const row = rowFrom(line, columnOf, mapping)
    return { index, number: line.number, row, problem: problemOf(row, sheet, mapping) }
  })
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function rowFrom({ cells }: SheetRow, columnOf: Map<Target | null, number>, mapping: Mapping): ImportRow {
  const cell = (target: Target) => cells[columnOf.get(target) ?? -1]?.trim() || undefined
  const whole = cell('name') ?? [cell('firstName'), cell('lastName')].filter(Boolean).join(' ')
  const organization = cell('organization')
  const place = mapping.isOneOrganization
    ? { organizationId: mapping.orgId }
    : organization && uuid.test(organization)
      ? { organizationId: organization }
      : { organization }
  const externalId = cell('externalId')
  const row: ImportRow = {
    ...place,
    name: whole || undefined,
    email: cell('email'),
    phone: cell('phone'),
    mobile: cell('mobile'),
    title: cell('title'),
    roles: rolesIn(cell('roles')),
    site: cell('site'),
    externalId,
    ...(externalId && { externalSystem: mapping.system.trim() || defaultExternalSystem }),
  }
  return row
}

const bare = (word: string) => word.toLowerCase().replace(/[\s_-]+/g, '')
const roleByWord = new Map(
  contactRole.options.flatMap((role) => [
    [bare(role), role],
    [bare(contactRoleWords[role]), role],
  ]),
)

/** Words separated by `;` or `,`, as the console or the API names them; another one is left for the server to refuse. */
function rolesIn(text: string | undefined): string[] | undefined {
  const words = text?.split(/[;,]/).flatMap((word) => word.trim() || [])
  return words && [...new Set(words.map((word) => roleByWord.get(bare(word)) ?? word))]
}

function problemOf(row: ImportRow, sheet: Sheet, mapping: Mapping): string | null {
  const issue = sendableRow.safeParse(row).error?.issues[0]
  if (!issue) return null
  const [field] = issue.path
  if (!field) return 'There is nothing in the chosen columns.'
  const what =
    issue.code === 'too_big'
      ? field === 'roles' && issue.path.length === 1
        ? `more than ${issue.maximum} roles`
        : `longer than ${issue.maximum} characters`
      : 'not an e-mail address'
  return columnReason(`${String(field)}: ${what}`, sheet, mapping)
}

/** The server names fields; people know the columns of their file. */
export function columnReason(reason: string, { columns }: Sheet, mapping: Mapping): string {
  const [, field = '', told = ''] = /^(\w+): (.*)$/s.exec(reason) ?? []
  const what = told.replace('use organizationId', 'write its id there instead')
  const target = (sourcesOf[field as keyof ImportRow]?.[0] ?? field) as Target
  if (!Object.hasOwn(targetWords, target)) return reason
  const sources = sourcesOf[field as keyof ImportRow] ?? [target]
  const column = mapping.targets.findIndex((one) => one && sources.includes(one))
  const isOrganizationChosen = target === 'organization' && mapping.isOneOrganization
  return column === -1 || isOrganizationChosen
    ? `${targetWords[target]}: ${what}`
    : `Column “${columns[column]}”: ${what}`
}

const maxCharacters = 1_000_000

/** As many rows from the start as one request takes. */
export function firstPiece(rows: readonly PreparedRow[]): PreparedRow[] {
  let characters = 0
  const end = rows.findIndex(({ row }, index) => {
    characters += JSON.stringify(row).length
    return index > 0 && (index >= maxImportRows || characters > maxCharacters)
  })
  return rows.slice(0, end === -1 ? rows.length : end)
}
