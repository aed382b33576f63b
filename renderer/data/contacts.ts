import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type ContactRole,
  createContact,
  deleteContact,
  listContacts,
  updateContact,
} from '../../shared/api/contacts.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { organizationKeys } from './organizations.ts'

export const contactKeys = { all: ['contacts'] as const }

interface ContactQuery {
  /** A site id, or `none` for contacts of the organization itself. */
  siteId?: string | undefined
  role?: ContactRole | undefined
  page: number
  limit: number
}

export const contactsQuery = (orgId: string, { page, limit, ...filters }: ContactQuery) =>
  queryOptions({
    queryKey: [...contactKeys.all, orgId, { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(
        listContacts,
        { params: { id: orgId }, query: { ...filters, page: String(page), limit: String(limit) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

/** A site shows its contacts too, and an organization its billing contact. */
export const contactsChanged = () =>
  Promise.all(
    [contactKeys.all, organizationKeys.all, organizationKeys.sites].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )

export type ContactInput = InputOf<typeof createContact>['body']

/** Creates a contact if there is no `id`. */
export const saveContact = (orgId: string, id: string | undefined) => ({
  mutationFn: (body: ContactInput) =>
    id === undefined
      ? api.call(createContact, { params: { id: orgId }, body })
      : api.call(updateContact, { params: { contactId: id }, body }),
  onSuccess: contactsChanged,
})

export const removeContact = {
  mutationFn: (contactId: string) => api.call(deleteContact, { params: { contactId } }),
  onSuccess: contactsChanged,
}
