import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { LoadFailed, SkeletonLines } from './states.tsx'

interface Reading<Data> {
  data: Data | undefined
  error: unknown
  refetch: () => unknown
}

interface LoadedProps<Data> {
  of: Reading<Data>
  /** Number of skeleton lines during the first load. */
  lines?: number
  /** Replaces the skeleton. */
  loading?: ReactNode
  children: (data: Data) => ReactNode
}

/** The data of a query; skeleton while loading, error with a retry button. */
export function Loaded<Data>({ of: { data, error, refetch }, lines, loading, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data)
  if (error) return <LoadFailed error={error} onRetry={refetch} />
  return loading ?? <SkeletonLines count={lines} />
}

type Rows = readonly unknown[] | { data: readonly unknown[] }

interface ListedProps<List> extends LoadedProps<List> {
  /** Shown without rows; a plain sentence in a list that is a part of a page. */
  empty: ReactNode
}

/** A list in its states: failed, loading, empty, filled. */
export function Listed<List extends Rows>({ empty, children, ...reading }: ListedProps<List>) {
  return <Loaded {...reading}>{(list) => (rowsOf(list).length > 0 ? children(list) : <Empty>{empty}</Empty>)}</Loaded>
}

const rowsOf = (list: Rows): readonly unknown[] => ('data' in list ? list.data : list)

function Empty({ children }: { children: ReactNode }) {
  if (typeof children !== 'string') return children
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}
