import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { cancelTask, listTasks, retryTask, type TaskPart } from '../../shared/api/system.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

const tasks = ['tasks'] as const

interface TaskQuery {
  show: TaskPart
  page: number
  limit: number
}

/** What runs moves by itself, and so does what waits. */
export const tasksQuery = ({ show, page, limit }: TaskQuery) =>
  queryOptions({
    queryKey: [...tasks, { show, page, limit }],
    queryFn: ({ signal }) => api.call(listTasks, { query: { show, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((task) => task.state === 'active') ? 2000 : 10_000),
  })

const onSettled = () => queryClient.invalidateQueries({ queryKey: tasks })

export const tryTaskAgain = { mutationFn: (id: string) => api.call(retryTask, { params: { id } }), onSettled }
export const giveTaskUp = { mutationFn: (id: string) => api.call(cancelTask, { params: { id } }), onSettled }
