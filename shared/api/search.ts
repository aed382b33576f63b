import { z } from 'zod'
import { osType } from '../device/inventory.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { pageLimit, searchText } from '../paging.ts'
import { deviceStatus } from './devices.ts'
import { organizationStatus } from './organizations.ts'

/** What a device may be found by beside the name it is shown with. */
export const deviceMatch = z.object({
  field: z.enum(['hostname', 'serialNumber', 'macAddress', 'ipAddress', 'lastUser', 'tag', 'model', 'manufacturer']),
  value: z.string(),
})
export type DeviceMatch = z.infer<typeof deviceMatch>

export const foundDevice = z.object({
  id: z.uuid(),
  /** The display name, or else the hostname. */
  name: z.string(),
  hostname: z.string(),
  /** Also `decommissioned`. */
  status: deviceStatus,
  osType,
  orgName: z.string(),
  siteName: z.string(),
  /** Null where the name has the text. */
  matched: deviceMatch.nullable(),
})
export type FoundDevice = z.infer<typeof foundDevice>

export const foundOrganization = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  status: organizationStatus,
})
export type FoundOrganization = z.infer<typeof foundOrganization>

const ofOrganization = { orgId: z.uuid(), orgName: z.string() }

export const foundSite = z.object({ id: z.uuid(), name: z.string(), ...ofOrganization })
export type FoundSite = z.infer<typeof foundSite>

export const foundPerson = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  partnerId: z.uuid(),
  /** The organization of their membership; null for people of the company itself. */
  orgId: z.uuid().nullable(),
  orgName: z.string().nullable(),
})
export type FoundPerson = z.infer<typeof foundPerson>

export const foundContact = z.object({
  id: z.uuid(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  ...ofOrganization,
})
export type FoundContact = z.infer<typeof foundContact>

export const search = endpoint({
  name: 'search.everything',
  method: 'GET',
  path: '/search',
  summary:
    'The best matches of each kind in reach, names that begin with the text first; none of kinds the caller may not list',
  access: userAccess(),
  query: z.object({ q: searchText.trim().min(1), limit: pageLimit(5, 10) }),
  reply: z.object({
    devices: z.array(foundDevice),
    organizations: z.array(foundOrganization),
    sites: z.array(foundSite),
    people: z.array(foundPerson),
    contacts: z.array(foundContact),
  }),
})
