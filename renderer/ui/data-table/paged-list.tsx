import type { ReactNode } from 'react'
import { Listed } from '../loaded.tsx'
import { Pager } from '../pager.tsx'

interface Page<Row> {
  data: Row[]
  pagination: { page: number; limit: number; total: number }
}

interface Props<Row> {
  of: { data: Page<Row> | undefined; error: unknown; refetch: () => unknown; isPlaceholderData: boolean }
  /** Shown without rows. */
  empty: ReactNode
  /** Number of skeleton lines during the first load. */
  lines?: number
  /** Singular noun, such as `device`. */
  what: string
  /** Irregular plural. */
  many?: string
  onPage: (page?: number) => void
  /** `isStale` while the next page loads. */
  children: (rows: Row[], isStale: boolean) => ReactNode
}

/** A list that the server gives out in pages, in all its states. */
export function PagedList<Row>({ of, empty, lines, children, ...pager }: Props<Row>) {
  return (
    <Listed of={of} empty={empty} lines={lines}>
      {({ data, pagination }) => (
        <>
          {children(data, of.isPlaceholderData)}
          <Pager {...pagination} {...pager} />
        </>
      )}
    </Listed>
  )
}
