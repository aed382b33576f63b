import { isIP, type LookupFunction } from 'node:net'
import { Agent } from 'undici'

/** The addresses a connection to this host may use, resolved and checked now; rejects when there are none. */
export type AddressesFor = (host: string) => Promise<string[]>

/** The socket gets the checked addresses and no others: a second answer to the name changes nothing. */
export const pinnedLookup =
  (addressesFor: AddressesFor): LookupFunction =>
  (host, _options, callback) => {
    addressesFor(host).then(
      (addresses) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      (error) => callback(error, []),
    )
  }

interface Connecting {
  /** PEM of the authorities to trust, where they are others than usual. */
  ca?: string[]
  timeout?: number
}

/** For addresses given by name: one that is a number is not looked up, so it has to be judged before. */
export const pinnedAgent = (addressesFor: AddressesFor, connecting: Connecting = {}): Agent =>
  new Agent({
    // A connection serves one request, so the address that was checked is the one that is used.
    pipelining: 0,
    allowH2: false,
    connect: {
      lookup: pinnedLookup(addressesFor),
      autoSelectFamily: true,
      minVersion: 'TLSv1.2',
      // The environment could switch it off otherwise.
      rejectUnauthorized: true,
      ...connecting,
    },
  })
