import { type RegisteredRouter, RouterContextProvider } from '@tanstack/react-router'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { plural } from '../../../lib/format.ts'
import { notifyDone } from '../../../lib/notify.ts'
import { TextLink } from '../../../ui/links.tsx'
import type { MovableDevice } from './movable-device.ts'

export interface MoveDestination {
  orgId: string
  orgName: string
  siteId: string
  siteName: string
}

/** Notices lie outside the router, which their links need. */
export function notifyMoved(router: RegisteredRouter, moved: readonly MovableDevice[], to: MoveDestination): void {
  const { orgId, orgName, siteId, siteName } = to
  const isSameOrganization = moved.every((device) => device.orgId === orgId)
  const [device] = moved
  if (!device) {
    notifyDone(`Already at ${siteName}`)
    return
  }
  notifyDone(
    <RouterContextProvider router={router}>
      {moved.length > 1 ? (
        plural(moved.length, 'device')
      ) : (
        <TextLink to="/devices/$deviceId" params={{ deviceId: device.id }} inherit underline="always">
          {deviceName(device)}
        </TextLink>
      )}{' '}
      moved to{' '}
      <TextLink to="/devices" search={{ org: orgId, site: siteId }} inherit underline="always">
        {isSameOrganization ? siteName : `${orgName}, ${siteName}`}
      </TextLink>
    </RouterContextProvider>,
  )
}
