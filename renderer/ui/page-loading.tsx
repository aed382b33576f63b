import { Center, Skeleton, Stack } from '@mantine/core'

/** Shown until the first page of a session is loaded. */
export function PageLoading() {
  return (
    <Center mih="60vh" role="status" aria-label="Loading">
      <Stack w={320} gap="sm">
        <Skeleton height={22} width="50%" />
        <Skeleton height={14} />
        <Skeleton height={14} width="80%" />
      </Stack>
    </Center>
  )
}
