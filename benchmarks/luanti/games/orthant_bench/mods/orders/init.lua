-- Carries out one order at a time: the benchmark writes a file into the world's folder, and this mod answers with another.
-- Times are those of the calls alone: positions are read and tables are built before.

local folder = minetest.get_worldpath() .. "/"
local ORDER, REPORT = folder .. "order.json", folder .. "report.json"

for _, name in ipairs({ "stone", "coal", "iron", "gold", "marble", "granite" }) do
	minetest.register_node("orders:" .. name, { description = name, groups = { cracky = 3 } })
end
minetest.register_alias("mapgen_singlenode", "orders:stone")

-- Reads voxels that the benchmark chose: a line of x, y, z and the block's name for each.
local function read_voxels(file)
	local positions, nodes = {}, {}
	for line in io.lines(folder .. file) do
		local x, y, z, name = line:match("^(%S+) (%S+) (%S+) (%S+)$")
		positions[#positions + 1] = { x = tonumber(x), y = tonumber(y), z = tonumber(z) }
		nodes[#nodes + 1] = { name = "orders:" .. name }
	end
	return positions, nodes
end

local function report(values)
	minetest.safe_file_write(REPORT, minetest.write_json(values))
end

-- Runs `work`, and reports its wall time and the processor time of the whole process.
local function report_time(work)
	local cpu, wall = os.clock(), minetest.get_us_time()
	work()
	wall, cpu = minetest.get_us_time() - wall, os.clock() - cpu
	report({ wallUs = wall, cpuUs = cpu * 1e6 })
end

local orders = {}

function orders.emerge(order)
	minetest.emerge_area(order.from, order.to, function(_, _, remaining)
		if remaining == 0 then report({ done = true }) end
	end)
end

function orders.set(order)
	local positions, nodes = read_voxels(order.file)
	report_time(function()
		for index = 1, #positions do minetest.set_node(positions[index], nodes[index]) end
	end)
end

function orders.bulk(order)
	local positions = read_voxels(order.file)
	local node = { name = "orders:" .. order.block }
	report_time(function() minetest.bulk_set_node(positions, node) end)
end

-- Luanti's reference advises mods to use one table again and again.
local buffer = {}

function orders.fill(order)
	local id = minetest.get_content_id("orders:" .. order.block)
	local from, to = order.from, order.to
	report_time(function()
		local manip = VoxelManip()
		local low, high = manip:read_from_map(from, to)
		local area = VoxelArea:new({ MinEdge = low, MaxEdge = high })
		local data = manip:get_data(buffer)
		for index in area:iterp(from, to) do data[index] = id end
		manip:set_data(data)
		-- Without light: no voxel of the world has any.
		manip:write_to_map(false)
	end)
end

function orders.count(order)
	local positions, nodes = read_voxels(order.file)
	local found = 0
	for index = 1, #positions do
		if minetest.get_node(positions[index]).name == nodes[index].name then found = found + 1 end
	end
	report({ found = found })
end

function orders.isRunning()
	report({ done = true })
end

minetest.register_globalstep(function()
	local file = io.open(ORDER)
	if file == nil then return end
	local order = minetest.parse_json(file:read("*a"))
	file:close()
	os.remove(ORDER)
	orders[order.kind](order)
end)
