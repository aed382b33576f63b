import { Fragment } from 'react'
import { Copyable } from '../../ui/copyable.tsx'

/** Shown in pairs to compare; copied in one piece, as the agent's command line expects it. */
export function Fingerprint({ hex, label }: { hex: string; label: string }) {
  const pairs = hex.toUpperCase().match(/../g) ?? []
  return (
    <Copyable text={hex} label={label}>
      {pairs.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair is its place
        <Fragment key={index}>
          {pair}
          {index < pairs.length - 1 && ':'}
          <wbr />
        </Fragment>
      ))}
    </Copyable>
  )
}
