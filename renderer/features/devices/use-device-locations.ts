import { useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { DeviceRow } from '../../../shared/api/devices.ts'
import { sitesQuery } from '../../data/sites.ts'
import { useDistinguishingSlugs } from '../../domain/organizations/use-distinguishing-slug.ts'
import { type NamedSite, organizationsWithSharedSiteNames, siteDistinctions } from '../../domain/sites/site-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** A name and what distinguishes it, one line each. */
export interface DeviceLocation {
  organization: string[]
  site: string[]
}

type DeviceOrigin = Pick<DeviceRow, 'orgId' | 'orgName' | 'siteId' | 'siteName'>

/** Organization and site of each device, with a distinction for equal names. */
export function useDeviceLocations(devices: readonly DeviceOrigin[]): (device: DeviceOrigin) => DeviceLocation {
  const maySeeSites = can(useMe(), 'sites:read')
  const slugs = useDistinguishingSlugs(devices.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })))
  const sites = useQueries({
    queries: maySeeSites ? organizationsWithSharedSiteNames(devices).map(sitesQuery) : [],
    combine: distinctionsIn,
  })
  return useCallback(
    ({ orgId, orgName, siteId, siteName }) => ({
      organization: lines(orgName, slugs.get(orgId)),
      site: lines(siteName, sites.get(siteId)),
    }),
    [slugs, sites],
  )
}

const lines = (name: string, mark: string | undefined) => (mark ? [name, mark] : [name])

const distinctionsIn = (results: readonly { data: readonly NamedSite[] | undefined }[]): ReadonlyMap<string, string> =>
  new Map(results.flatMap(({ data }) => [...siteDistinctions(data ?? [])]))

export const locationText = ({ organization, site }: DeviceLocation): string => [...organization, ...site].join(' · ')
