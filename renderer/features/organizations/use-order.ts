import { useMutation } from '@tanstack/react-query'
import {
  type OrganizationRow,
  organizationKeys,
  organizationsQuery,
  organizationTreeQuery,
  saveOrganizationOrder,
} from '../../data/organizations.ts'
import { ownPartnerQuery } from '../../data/partner.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { queryClient } from '../../lib/query-client.ts'
import { currentOrder, orderAfterMove } from './order.ts'

interface Move {
  row: OrganizationRow
  /** From 1, in the whole list. */
  position: number
}

/** Moves a row on one page of the list, optimistically. */
export function useOrder({ page, limit }: { page: number; limit: number }) {
  const { queryKey } = organizationsQuery({ page, limit })
  return useMutation({
    // One at a time: each change starts from the order that the one before has saved.
    scope: { id: 'organization-order' },
    mutationFn: async ({ row, position }: Move) => {
      const [{ settings }, all] = await Promise.all([
        queryClient.fetchQuery({ ...ownPartnerQuery, staleTime: 0 }),
        queryClient.fetchQuery({ ...organizationTreeQuery, staleTime: 0 }),
      ])
      const saved = (settings.organizationOrder ?? []) as string[]
      const shown = new Set(all.map(({ id }) => id))
      const orderedIds = orderAfterMove(currentOrder(saved, all), shown, row.id, position)
      await saveOrganizationOrder(orderedIds)
    },
    onMutate: async ({ row, position }) => {
      await queryClient.cancelQueries({ queryKey })
      const former = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, (old) => {
        const at = position - 1 - (page - 1) * limit
        const others = old?.data.filter(({ id }) => id !== row.id)
        // A row that moves to another page disappears when the list is refetched.
        return old && others && at >= 0 && at < old.data.length ? { ...old, data: others.toSpliced(at, 0, row) } : old
      })
      return { former }
    },
    onSuccess: (_, { row, position }) => notifyDone(`${row.name} is now number ${position}`),
    onError: (error, _, context) => {
      if (context?.former) queryClient.setQueryData(queryKey, context.former)
      notifyFailed('The order wasn’t saved')(error)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: organizationKeys.all }),
  })
}
