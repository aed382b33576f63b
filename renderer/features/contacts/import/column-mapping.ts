import {
  defaultExternalSystem,
  type ImportRow,
  maxImportRows,
  sendableRow,
} from '../../../../shared/api/contact-import.ts'
import { contactRole } from '../../../../shared/api/contacts.ts'
import { contactRoleNames } from '../contact-labels.ts'
import { sourcesOf, type Target, targetNames } from './import-fields.ts'
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

export type TenantField = 'organization' | 'site'
/** A name that a row calls its organization or site by. */
export interface NameToResolve {
  text: string
  /** The same for all rows that mean the same by it: a site's name means something in its organization only. */
  key: string
}
/** Which one was said to be meant by a name, by the key of the name; null for none at all. */
export type ResolvedNames = ReadonlyMap<string, string | null>

/** A row of the file as it is sent. */
export interface PreparedRow {
  /** From 0, among the rows of the file that are not empty. */
  index: number
  /** As spreadsheets count. */
  number: number
  row: ImportRow
  /** What stands in its cells, whatever was said to be meant by it. */
  names: Partial<Record<TenantField, NameToResolve>>
  /** Why it can not even be sent, as the server would say it. */
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

export const noResolvedNames: ResolvedNames = new Map()

export function rowsFrom(sheet: Sheet, mapping: Mapping, meant = noResolvedNames): PreparedRow[] {
  const columnOf = new Map(mapping.targets.map((target, column) => [target, column]))
  return sheet.rows.map((line, index) => {
    const row = rowFrom(line, columnOf, mapping)
    const names = settle(row, mapping, meant)
    return { index, number: line.number, row, names, problem: problemOf(row) }
  })
}

/** Puts what is meant in the place of names. */
function settle(row: ImportRow, { isOneOrganization }: Mapping, meant: ResolvedNames): PreparedRow['names'] {
  const names: PreparedRow['names'] = {}
  const say = (place: TenantField, id: 'organizationId' | 'siteId', ...key: string[]) => {
    const name = { text: key.at(-1) ?? '', key: JSON.stringify(key) }
    names[place] = name
    const chosen = meant.get(name.key)
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
    [bare(contactRoleNames[role]), role],
  ]),
)

/** Words separated by `;` or `,`, as the console or the API names them; another one is left for the server to refuse. */
function rolesIn(text: string | undefined): string[] | undefined {
  const words = text?.split(/[;,]/).flatMap((word) => word.trim() || [])
  return words && [...new Set(words.map((word) => roleByWord.get(bare(word)) ?? word))]
}

function problemOf(row: ImportRow): string | null {
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
  return `${String(field)}: ${what}`
}

/** What a reason is about, the first of them where it is made of several; null when it is about no single one. */
export function fieldIn(reason: string): Target | null {
  const field = /^(\w+): /.exec(reason)?.[1] ?? ''
  const target = (sourcesOf[field as keyof ImportRow]?.[0] ?? field) as Target
  return Object.hasOwn(targetNames, target) ? target : null
}

/** Where the cells of a field come from; -1 when from no column of the file. */
export function columnFor(target: Target, { targets, isOneOrganization }: Mapping): number {
  if (target === 'organization' && isOneOrganization) return -1
  const sources = sourcesOf[target as keyof ImportRow] ?? [target]
  return targets.findIndex((one) => one && sources.includes(one))
}

/** The server names fields; people know the columns of their file. */
export function columnReason(reason: string, { columns }: Sheet, mapping: Mapping): string {
  const target = fieldIn(reason)
  if (!target) return reason
  // How a program says which one it means; people choose it.
  const what = reason.replace(/^\w+: /, '').replace(/; use \w+Id$/, '')
  const column = columnFor(target, mapping)
  return column === -1 ? `${targetNames[target]}: ${what}` : `Column “${columns[column]}”: ${what}`
}

const maxCharacters = 1_000_000

/** As many rows from the start as one request takes. */
export function firstBatch(rows: readonly PreparedRow[]): PreparedRow[] {
  let characters = 0
  const end = rows.findIndex(({ row }, index) => {
    characters += JSON.stringify(row).length
    return index > 0 && (index >= maxImportRows || characters > maxCharacters)
  })
  return rows.slice(0, end === -1 ? rows.length : end)
}
