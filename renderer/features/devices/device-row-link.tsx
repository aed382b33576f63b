import { useRouter } from '@tanstack/react-router'
import { type MouseEvent, useCallback, useMemo } from 'react'
import type { ListedDevice } from '../../../shared/api/devices.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { useSelectedOrganizationId } from '../../domain/organizations/selected-organization.ts'
import classes from './device-row-link.module.css'

const page = '/devices/$deviceId'
const someId = 'some-id'

interface Props {
  device: ListedDevice
  href: string
}

/**
 * The link of a row to the page of its device. The router’s own works out its address anew at every navigation, and fifty
 * of them take a slow computer long.
 */
export function DeviceRowLink({ device, href }: Props) {
  const router = useRouter()
  const params = { deviceId: device.id }
  const follow = (event: MouseEvent) => {
    // Other tabs, windows and downloads are the browser’s.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate({ to: page, params })
  }
  const prepare = () => void router.preloadRoute({ to: page, params })
  return (
    <a
      href={href}
      className={`mantine-focus-auto ${classes.link}`}
      data-main
      onClick={follow}
      onMouseEnter={prepare}
      onFocus={prepare}
    >
      {deviceName(device)}
    </a>
  )
}

/** The address of a device’s page, with what the router adds to it, such as the selected organization. */
export function useDeviceHref(): (device: { id: string }) => string {
  const router = useRouter()
  const org = useSelectedOrganizationId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the router adds the organization by itself
  const pattern = useMemo(() => router.buildLocation({ to: page, params: { deviceId: someId } }).href, [router, org])
  return useCallback(({ id }) => pattern.replace(someId, id), [pattern])
}
