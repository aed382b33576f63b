interface Page<Row> {
  data: Row[]
  pagination: { limit: number; total: number }
}

/** All rows of a paged list; for short lists, such as options to choose from. */
export async function allPages<Row>(readPage: (page: number) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await readPage(page)
    rows.push(...data)
    if (data.length === 0 || page * pagination.limit >= pagination.total) return rows
  }
}
