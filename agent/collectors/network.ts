import { networkInterfaces } from 'node:os'
import si from 'systeminformation'
import type { Adapter } from '../../shared/device/inventory.ts'

type Interface = Pick<
  si.Systeminformation.NetworkInterfacesData,
  'iface' | 'default' | 'ip4' | 'ip6' | 'mac' | 'internal'
>

export async function readAdapters(): Promise<Adapter[]> {
  const found = await si.networkInterfaces()
  return toAdapters(Array.isArray(found) ? found : [found])
}

/** One row per address; an adapter without any still gets one. */
export function toAdapters(interfaces: Interface[]): Adapter[] {
  return interfaces
    .filter(({ internal }) => !internal)
    .flatMap((found): Adapter[] => {
      const adapter = { interfaceName: found.iface, macAddress: found.mac || null, isPrimary: found.default }
      const addresses = [
        ...(found.ip4 ? [{ ipAddress: found.ip4, ipType: 'ipv4' }] : []),
        ...(found.ip6 ? [{ ipAddress: found.ip6, ipType: 'ipv6' }] : []),
      ]
      return (addresses.length > 0 ? addresses : [{ ipAddress: null, ipType: null }]).map((address, index) => ({
        ...adapter,
        ...address,
        isPrimary: adapter.isPrimary && index === 0,
      }))
    })
}

/** Interfaces that carry other interfaces' traffic again: bridges, tunnels and the ends of containers. */
export const isVirtualInterface = (name: string): boolean =>
  /^(lo\d*|docker|br-|veth|virbr|vnet|cni|flannel|cali|tun|tap|utun|awdl|llw|bridge|gif|stf|anpi|loopback)/i.test(name)

/** This device's own addresses now, those of physical interfaces first. */
export function currentAddresses(found = networkInterfaces()) {
  return Object.entries(found)
    .flatMap(([name, addresses = []]) => addresses.map((address) => ({ name, address })))
    .filter(({ address }) => !address.internal && !isLinkLocal(address.address))
    .sort((a, b) => rank(a.name, a.address.family) - rank(b.name, b.address.family))
    .slice(0, 200)
    .map(({ name, address }) => ({
      interfaceName: name,
      ipAddress: address.address,
      ipType: address.family === 'IPv4' ? 'ipv4' : 'ipv6',
      macAddress: address.mac,
    }))
}

const isLinkLocal = (address: string) => /^(169\.254\.|fe80:)/i.test(address)
const rank = (name: string, family: string) => (isVirtualInterface(name) ? 2 : 0) + (family === 'IPv4' ? 0 : 1)
