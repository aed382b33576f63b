import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { uuid } from '../fields.ts'

export const maxImportRows = 1000
export const defaultExternalSystem = 'csv'

const address = z.email()
const cell = (max: number) => z.string().max(max).nullish()
const optionalId = z.union([z.literal(''), z.uuid()]).nullish()
const rowFields = {
  name: cell(255),
  email: cell(320).refine((text) => !text?.trim() || address.safeParse(text.trim()).success, 'Invalid email address'),
  phone: cell(64),
  mobile: cell(64),
  title: cell(255),
  /** May have several lines. */
  notes: cell(5000),
  /** Words of the contact's vocabulary; another one is a conflict of its row. */
  roles: z.array(z.string().max(64)).max(16).nullish(),
  /** Beats `organization`. */
  organizationId: optionalId,
  organization: cell(255),
  /** Beats `site`. */
  siteId: optionalId,
  /** Name of a site of the organization. */
  site: cell(255),
  /** The id of the contact in the system it comes from. */
  externalId: cell(255),
  externalSystem: cell(64),
}
const importRow = z.object(rowFields)
export type ImportRow = z.infer<typeof importRow>

const isBlank = ({ externalSystem: _, ...cells }: ImportRow) =>
  Object.values(cells).every((value) => (Array.isArray(value) ? value.length === 0 : !value?.trim()))
const blankRow = 'The row is blank'
/** A row that may be sent; one that may not makes the whole request fail. */
export const sendableRow = importRow.refine((row) => !isBlank(row), blankRow)

export const matchAnnotation = z.enum(['create', 'link-match', 'email-match', 'name-match'])
export const annotation = z.enum([...matchAnnotation.options, 'conflict', 'org-not-found'])
export type Annotation = z.infer<typeof annotation>

const acknowledgedRow = importRow.extend({
  /** What the preview said of the row. */
  expectedAnnotation: matchAnnotation.optional(),
  expectedContactId: uuid.optional(),
})
export type AcknowledgedRow = z.infer<typeof acknowledgedRow>

const previewedRow = importRow.extend({
  /** From 0. */
  index: z.int(),
  annotation,
  organizationId: z.uuid().nullable(),
  organizationName: z.string().optional(),
  siteId: z.uuid().nullable(),
  contactId: z.uuid().nullable(),
  matchedContactName: z.string().nullable().optional(),
  matchedContactEmail: z.string().nullable().optional(),
  /** The column, a colon, and what is wrong. */
  conflictReason: z.string().optional(),
  warning: z.string().optional(),
})
export type PreviewedRow = z.infer<typeof previewedRow>

export const importErrorCode = z.enum([
  'row-conflict',
  'org-not-found',
  'annotation-changed',
  'match-changed',
  'match-unconfirmed',
  'no-identifier',
  'invalid-role',
  'site-not-in-org',
  'write-failed',
])
export type ImportErrorCode = z.infer<typeof importErrorCode>

const savedRow = z.object({
  index: z.int(),
  organizationId: z.uuid(),
  contactId: z.uuid(),
  name: z.string().nullable(),
  createdLink: z.boolean(),
})
const importResult = z.object({
  imported: z.array(savedRow),
  updated: z.array(savedRow),
  skipped: z.array(
    z.object({
      index: z.int(),
      organizationId: z.uuid(),
      contactId: z.uuid(),
      reason: z.literal('already_linked'),
    }),
  ),
  errors: z.array(
    z.object({ index: z.int(), organization: z.string().optional(), error: z.string(), code: importErrorCode }),
  ),
})
export type ImportResult = z.infer<typeof importResult>

const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).min(1).max(maxImportRows)
const write = userAccess('organizations:write', { mfa: 'strict' })
const bodyLimit = 4 * 1024 * 1024

export const previewContactImport = endpoint({
  name: 'contacts.import-preview',
  method: 'POST',
  path: '/orgs/contacts/import/preview',
  summary: 'Preview the import of up to 1,000 rows; writes nothing',
  access: write,
  body: z.object({
    partnerId: uuid.optional(),
    rows: rowsOf(sendableRow),
  }),
  bodyLimit,
  reply: z.object({ rows: z.array(previewedRow) }),
})

export const importContacts = endpoint({
  name: 'contacts.import',
  method: 'POST',
  path: '/orgs/contacts/import',
  summary: 'Import previewed rows independently: one that fails does not stop the others',
  access: write,
  body: z.object({
    partnerId: uuid.optional(),
    rows: rowsOf(
      acknowledgedRow
        .refine((row) => !isBlank(row), blankRow)
        .refine(
          ({ expectedAnnotation, expectedContactId }) =>
            expectedContactId !== undefined ||
            !(expectedAnnotation === 'email-match' || expectedAnnotation === 'name-match'),
          { path: ['expectedContactId'], message: 'Specify the contact that the row was matched with' },
        ),
    ),
    mode: z.enum(['skip', 'update']).optional(),
    /** The same in all calls of a long list, so that the audit log shows them as one import. */
    importId: uuid.optional(),
  }),
  bodyLimit,
  reply: importResult,
  audit: 'contact.create',
})
