import type { ConnectionInfo } from '../../data/system.ts'
import { addressKinds } from '../../domain/system/address-kinds.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'

export function AddressesPanel({ addresses }: Pick<ConnectionInfo, 'addresses'>) {
  return (
    <Panel title="Addresses">
      <Facts>
        {addresses.map(({ url, kind }) => (
          <Fact key={url} name={sentence(addressKinds[kind])}>
            <Copyable text={url} label={`Copy ${url}`} />
          </Fact>
        ))}
      </Facts>
    </Panel>
  )
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
