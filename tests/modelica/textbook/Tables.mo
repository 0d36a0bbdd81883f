package Modelica "what the tables of the library look like from outside"
  package Blocks
    package Types
      class Table1D
        extends ExternalObject;
        function constructor
          input String fileName;
          input Real table[:, :];
          input Integer columns[:];
          input Integer smoothness;
          input Integer extrapolation = 2;
          output Table1D object;
        external "C";
        end constructor;
      end Table1D;
      class TimeTable
        extends ExternalObject;
        function constructor
          input String fileName;
          input Real table[:, :];
          input Real startTime;
          input Integer columns[:];
          input Integer smoothness;
          input Integer extrapolation;
          input Real shiftTime = 0.0;
          input Integer timeEvents = 1;
          output TimeTable object;
        external "C";
        end constructor;
      end TimeTable;
    end Types;
    package Tables
      package Internal
        function getTable1DValue
          input Types.Table1D tableID;
          input Integer icol;
          input Real u;
          output Real y;
        external "C";
        end getTable1DValue;
        function getTimeTableValue
          input Types.TimeTable tableID;
          input Integer icol;
          input Real timeIn;
          input Real nextTimeEvent;
          input Real pre_nextTimeEvent;
          output Real y;
        external "C";
        end getTimeTableValue;
        function getNextTimeEvent
          input Types.TimeTable tableID;
          input Real timeIn;
          output Real nextTimeEvent;
        external "C";
        end getNextTimeEvent;
      end Internal;
    end Tables;
  end Blocks;
end Modelica;

model Tables "linear with both ways beyond the ends, constant, and one of time with a jump"
  import Modelica.Blocks.Types;
  import Modelica.Blocks.Tables.Internal;
  parameter Real points[:, :] = [0, 0, 1; 1, 10, 2; 3, 20, 4];
  parameter Types.Table1D beyond = Types.Table1D("NoName", points, 2:3, 1);
  parameter Types.Table1D hold = Types.Table1D("NoName", points, {2}, 1, 1);
  parameter Types.Table1D steps = Types.Table1D("NoName", points, {2}, 3);
  parameter Types.TimeTable course = Types.TimeTable("NoName", [0, 0; 1, 2; 1, 5; 2, 5], 0.5, {2}, 1, 1);
  discrete Real next(start = 0, fixed = true);
  Real a = Internal.getTable1DValue(beyond, 1, 2*time);
  Real b = Internal.getTable1DValue(beyond, 2, -time);
  Real c = Internal.getTable1DValue(hold, 1, 2*time);
  Real d = Internal.getTable1DValue(steps, 1, time - 1e-9);
  Real e = Internal.getTimeTableValue(course, 1, time, next, pre(next));
  Real sum(start = 0, fixed = true);
  Real courses(start = 0, fixed = true);
equation
  when {time >= pre(next), initial()} then
    next = Internal.getNextTimeEvent(course, time);
  end when;
  der(sum) = Internal.getTable1DValue(beyond, 1, time);
  der(courses) = e;
end Tables;
